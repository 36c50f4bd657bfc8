"""From what the driver raises to what Holdfast raises: one table of SQLSTATEs, one way through it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import asyncpg

from holdfast.db.address import URL_HINT
from holdfast.db.needed_role import role_hint
from holdfast.model.error import (
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    InvalidInput,
    InvalidOption,
    InvalidPayload,
    LeaseLost,
    NotFound,
    PermissionDenied,
    SchemaBehind,
    Timeout,
    TransactionConflict,
    UniqueConflict,
    WrongState,
)

OWN_STATES: dict[str, type[HoldfastError]] = {
    "HF002": InvalidOption,
    "HF003": UniqueConflict,
    "HF004": NotFound,
    "HF005": WrongState,
    "HF006": LeaseLost,
}

# The statement was prepared on another of the server's connections: a pooler deals them out by transaction.
_POOLER = (
    "a pooler in transaction mode is in between: set HOLDFAST_POOLER=transaction, or add ?pgbouncer=true to"
    " the database URL, and set HOLDFAST_DIRECT_URL to the server itself, for LISTEN"
)

# What PostgreSQL itself says, and what to do about it; a hint of None keeps the one of the class.
SERVER_STATES: dict[str, tuple[type[HoldfastError], str | None]] = {
    "28000": (DatabaseUnavailable, "check the user in the database URL and the server's pg_hba.conf"),
    "28P01": (DatabaseUnavailable, "check the user and the password in the database URL"),
    "3D000": (DatabaseUnavailable, "create the database, or correct its name in the database URL"),
    "53300": (DatabaseUnavailable, "raise max_connections, use a pooler, or start fewer workers"),
    "25006": (DatabaseUnavailable, "the server is read-only: point the database URL at the primary"),
    "53100": (DatabaseUnavailable, "the server's disk is full: free some space"),
    "3F000": (SchemaBehind, None),
    "42883": (SchemaBehind, None),
    "42P01": (SchemaBehind, None),
    "42703": (SchemaBehind, None),
    "42501": (PermissionDenied, None),
    "57014": (Timeout, "the statement was cancelled by statement_timeout or by hand; try again"),
    "55P03": (Timeout, "another transaction holds a lock that this one needs; try again"),
    "40001": (TransactionConflict, None),
    "40P01": (TransactionConflict, None),
    "25P02": (DatabaseError, "nothing of the transaction was kept; run what may fail inside a savepoint"),
    "22000": (InvalidInput, None),  # the driver's own, for a value that does not fit its parameter
    "22P02": (InvalidInput, None),
    "26000": (DatabaseError, _POOLER),
    "42P05": (DatabaseError, _POOLER),
    "2BP01": (DatabaseError, "drop your own objects that use Holdfast's, and create them again afterwards"),
    "22021": (InvalidInput, None),
    "22P05": (InvalidInput, None),
}

_QUOTED_VALUE = re.compile(r"(invalid input for query argument \$\d+): .* \((.*)\)\Z", re.DOTALL)

_MISSING = ("3F000", "42883", "42P01", "42703")

# Classes of states by their first two characters: connection broken, out of resources, server going down.
_UNAVAILABLE = ("08", "53", "57", "58")


@dataclass(frozen=True, slots=True)
class ServerMessage:
    """What the server said, whichever driver heard it."""

    sqlstate: str
    message: str
    hint: str | None = None
    detail: str | None = None
    context: str | None = None


# What a statement or a connect can fail with. InternalClientError: the server left in the middle of it.
BROKEN = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


@contextmanager
def translated() -> Iterator[None]:
    """Every statement runs inside this."""
    try:
        yield
    except BROKEN as exc:
        raise translate(exc) from exc


@contextmanager
def conflicts_translated() -> Iterator[None]:
    """For statements of the caller's own: only what says that the whole transaction is to be tried again."""
    try:
        yield
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as exc:
        raise translate(exc) from exc


def translate(exc: BaseException) -> HoldfastError:
    """The HoldfastError that `exc` means."""
    if isinstance(exc, HoldfastError):
        return exc
    if isinstance(exc, asyncpg.PostgresError):
        return from_server(_message_of(exc))
    return _from_driver(exc)


def _from_driver(exc: BaseException) -> HoldfastError:
    if isinstance(exc, asyncpg.ClientConfigurationError):
        return InvalidOption(f"The database URL is not valid: {exc}.", URL_HINT)
    if isinstance(exc, TimeoutError):
        return DatabaseUnavailable("The database did not answer in time.")
    if isinstance(exc, asyncpg.InterfaceError | asyncpg.InternalClientError | OSError):
        return DatabaseUnavailable(f"The database cannot be reached: {str(exc) or type(exc).__name__}.")
    return DatabaseError(f"{type(exc).__name__}: {exc}")


def _message_of(exc: asyncpg.PostgresError) -> ServerMessage:
    return ServerMessage(
        exc.sqlstate or "", exc.message or str(exc), exc.hint or None, exc.detail, exc.context
    )


def from_server(said: ServerMessage) -> HoldfastError:
    """The HoldfastError that a SQLSTATE means."""
    state, message, hint = said.sqlstate, said.message, said.hint
    if state == "HF001":
        return InvalidPayload(message, hint, path=said.detail or "$")
    if state in OWN_STATES:
        return OWN_STATES[state](message, hint)
    if state in _MISSING and said.context:
        # Raised inside a function of ours, not for want of one: a defect, which no migrate would cure.
        return DatabaseError(f"{_sentence(message)} (SQLSTATE {state})", hint, state)
    if state in SERVER_STATES:
        kind, ours = SERVER_STATES[state]
        error = kind(_sentence(message), ours or role_hint(message))
        if isinstance(error, DatabaseError):
            error.sqlstate = state
        return error
    if state.startswith(_UNAVAILABLE):
        return DatabaseUnavailable(_sentence(message), hint)
    return DatabaseError(f"{_sentence(message)} (SQLSTATE {state})", hint, state)


def _sentence(message: str) -> str:
    """The driver quotes a value that does not fit its parameter; its type is enough."""
    told = _QUOTED_VALUE.sub(r"\1 (\2)", message)
    return f"The database says: {told.rstrip('.')}."
