"""Translates the errors of other drivers into Holdfast's own, by SQLSTATE."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from holdfast.db.database_errors import ServerMessage, from_server
from holdfast.model.error import DatabaseError, DatabaseUnavailable, HoldfastError, InvalidInput

# The names of PEP 249 for errors that do not come from the server.
CONNECTION_ERRORS = {"OperationalError", "InterfaceError"}
VALUE_ERRORS = {"DataError"}


@contextmanager
def translated(errors: type[Exception]) -> Iterator[None]:
    """Around one of our statements on a driver that raises `errors`."""
    try:
        yield
    except errors as exc:
        raise translate(exc) from exc


def translate(exc: BaseException) -> HoldfastError:
    """The innermost error with a SQLSTATE: it has the server's hint and detail."""
    said = [message for one in _layers(exc) if (message := _message_of(one)) is not None]
    return from_server(said[-1]) if said else _from_driver(exc)


def _layers(exc: BaseException) -> Iterator[BaseException]:
    """SQLAlchemy keeps the driver's error in `orig`; Django, and asyncpg under SQLAlchemy, as the cause."""
    layer: BaseException | None = exc
    while layer is not None:
        yield layer
        layer = getattr(layer, "orig", None) or layer.__cause__


def _message_of(exc: Any) -> ServerMessage | None:
    """psycopg keeps the fields in `diag`, asyncpg in attributes of the error."""
    told = getattr(exc, "diag", None)
    if told is not None and told.sqlstate:
        return ServerMessage(
            told.sqlstate,
            told.message_primary or str(exc),
            told.message_hint,
            told.message_detail,
            told.context,
        )
    state = getattr(exc, "sqlstate", None)
    if not state:
        return None
    heard = {name: getattr(exc, name, None) for name in ("hint", "detail", "context")}
    return ServerMessage(state, getattr(exc, "message", None) or str(exc), **heard)


def _from_driver(exc: BaseException) -> HoldfastError:
    names = {kind.__name__ for layer in _layers(exc) for kind in type(layer).__mro__}
    if names & VALUE_ERRORS:
        return InvalidInput(f"The driver refused a value: {exc}.")
    if names & CONNECTION_ERRORS:
        return DatabaseUnavailable(f"The connection cannot be used: {exc}.")
    return DatabaseError(f"{type(exc).__name__}: {exc}")
