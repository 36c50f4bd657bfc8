"""Translates the driver's errors into Holdfast's: one table of SQLSTATEs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import asyncpg

from holdfast.db.database_unavailable import no_answer
from holdfast.db.needed_role import role_hint
from holdfast.model.error import (
    AccessDenied,
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    InvalidInput,
    InvalidOption,
    InvalidPayload,
    LeaseLost,
    NotAuthenticated,
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
    "HF007": NotAuthenticated,
    "HF008": AccessDenied,
}

# The statement was prepared on another server connection: a pooler assigns one per transaction.
_POOLER = (
    "a pooler in transaction mode is in front of the server: set HOLDFAST_POOLER=transaction, or add"
    " ?pgbouncer=true to the database URL; for LISTEN, set HOLDFAST_DIRECT_URL to the address of the server"
)

# PostgreSQL's own errors and their hints; a hint of None keeps the default of the class.
SERVER_STATES: dict[str, tuple[type[HoldfastError], str | None]] = {
    "28000": (DatabaseUnavailable, "check the user in the database URL and the server's pg_hba.conf"),
    "28P01": (DatabaseUnavailable, "check the user and the password in the database URL"),
    "3D000": (DatabaseUnavailable, "create the database, or correct its name in the database URL"),
    "53300": (DatabaseUnavailable, "raise max_connections, use a pooler, or start fewer workers"),
    "25006": (
        DatabaseUnavailable,
        "the server is read-only: use the address of the primary in the database URL",
    ),
    "53100": (DatabaseUnavailable, "the server's disk is full: free some space"),
    "3F000": (SchemaBehind, None),
    "42883": (SchemaBehind, None),
    "42P01": (SchemaBehind, None),
    "42703": (SchemaBehind, None),
    "42501": (PermissionDenied, None),
    "57014": (Timeout, "the statement was cancelled, by statement_timeout or by a person; try again"),
    "55P03": (Timeout, "another transaction holds a lock that this one needs; try again"),
    "40001": (TransactionConflict, None),
    "40P01": (TransactionConflict, None),
    "25P02": (
        DatabaseError,
        "the whole transaction was undone; run statements that may fail inside a savepoint",
    ),
    "22000": (InvalidInput, None),  # the driver's own, for a value that does not fit its parameter
    "22003": (InvalidInput, None),
    "22P02": (InvalidInput, None),
    "26000": (DatabaseError, _POOLER),
    "42P05": (DatabaseError, _POOLER),
    "2BP01": (
        DatabaseError,
        "drop your own objects that depend on Holdfast's objects, and create them again afterwards",
    ),
    "22021": (InvalidInput, None),
    "22P05": (InvalidInput, None),
}

_QUOTED_VALUE = re.compile(r"(invalid input for query argument \$\d+): .* \((.*)\)\Z", re.DOTALL)

_MISSING = ("3F000", "42883", "42P01", "42703")

# Classes by their first two characters: connection broken, out of resources, server shutting down.
_UNAVAILABLE = ("08", "53", "57", "58")


@dataclass(frozen=True, slots=True)
class ServerMessage:
    """The server's error, from any driver."""

    sqlstate: str
    message: str
    hint: str | None = None
    detail: str | None = None
    context: str | None = None


# The errors of a statement or a connect. InternalClientError: the server closed the connection.
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
    """For the caller's own statements: only errors after which the whole transaction must be retried."""
    try:
        yield
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as exc:
        raise translate(exc) from exc


def translate(exc: BaseException) -> HoldfastError:
    """The HoldfastError for `exc`."""
    if isinstance(exc, HoldfastError):
        return exc
    if isinstance(exc, asyncpg.PostgresError):
        return from_server(_message_of(exc))
    return no_answer(exc)


def _message_of(exc: asyncpg.PostgresError) -> ServerMessage:
    return ServerMessage(
        exc.sqlstate or "", exc.message or str(exc), exc.hint or None, exc.detail, exc.context
    )


def from_server(said: ServerMessage) -> HoldfastError:
    """The HoldfastError for a SQLSTATE."""
    state, message, hint = said.sqlstate, said.message, said.hint
    if state == "HF001":
        return InvalidPayload(message, hint, path=said.detail or "$")
    if state in OWN_STATES:
        return OWN_STATES[state](message, hint)
    if state in _MISSING and said.context:
        # Raised inside one of our functions, not because one is missing: a bug that no migration fixes.
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
    """The driver quotes a value that does not fit its parameter; keep only its type."""
    told = _QUOTED_VALUE.sub(r"\1 (\2)", message)
    return f"The database says: {told.rstrip('.')}."
