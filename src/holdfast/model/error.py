"""Every exception that Holdfast raises.

HoldfastError                       exit code 1
├── DatabaseUnavailable             3   no connection, or it broke
│   └── DatabaseBusy                    no connection of the pool was free in time
├── DatabaseError                   1   any other error of the database
│   └── TransactionConflict             a deadlock or serialization failure: retry the transaction
├── SchemaMismatch                  4
│   ├── SchemaBehind                    the database needs `holdfast migrate`
│   ├── SchemaAhead                     the database is newer than this program
│   ├── SchemaDrifted                   the database was made by other migrations than this program's
│   └── SchemaForeign                   the schema, or an object in it, has another owner
├── NotFound                        5
├── Conflict                        6
│   ├── UniqueConflict                  same unique key, different payload
│   └── WrongState                      the job's or run's state does not allow that verb
├── Timeout                         7
├── InvalidInput                    2
│   ├── InvalidPayload                  has .path, the JSON path of the problem
│   ├── InvalidOption                   has .path too, if the option stands in a JSON document
│   ├── UnknownTask
│   ├── BadHandler
│   └── TransactionEnded                a handler committed or rolled back its job's transaction
├── PermissionDenied                1   the database role may not call that verb
├── NotAuthenticated                1   the access key is unknown, expired or revoked
├── AccessDenied                    1   the access key's role or scope does not allow that
├── LeaseLost                       1   another worker has the job
├── NotConfigured                   1   this process lacks a package or an environment variable
├── ModelFailed                     1   a model server answered with an error, or not at all
├── TooManyTurns                    1   an agent used all its turns
└── JobFailed                       1   raised by result() if the job did not complete

The exceptions that a handler raises to end its attempt are another tree, in `end_attempt.py`.
"""

import re
from collections.abc import Mapping

from holdfast.model.state import State


class HoldfastError(Exception):
    """Base class of all errors; `hint` says what to do, in tracebacks too."""

    exit_code = 1
    default_hint: str | None = None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint if hint is not None else self.default_hint

    @property
    def code(self) -> str:
        """Of the HTTP API: the name of the class, such as unique_conflict."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()

    @property
    def hint(self) -> str | None:
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        """A traceback prints the notes of an exception; the note of the previous hint is replaced."""
        notes: list[str] = self.__dict__.setdefault("__notes__", [])
        before = self.__dict__.get("_hint")
        notes[:] = [note for note in notes if note != f"hint: {before}"]
        self._hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


class DatabaseUnavailable(HoldfastError):
    """The database cannot be reached, or the connection to it broke."""

    exit_code = 3
    default_hint = "check that PostgreSQL is running, and that HOLDFAST_DATABASE_URL is its address"


class DatabaseBusy(DatabaseUnavailable):
    """Every connection of the pool was in use for as long as this program waits for one."""

    default_hint = (
        "try again; if this happens often, open more connections (pool_size) or send fewer requests"
    )


class DatabaseError(HoldfastError):
    """An error of the database that is not one of Holdfast's own."""

    default_hint = (
        "look at the database's log; if the log does not explain the error, report a bug in Holdfast"
    )

    def __init__(self, message: str, hint: str | None = None, sqlstate: str | None = None) -> None:
        super().__init__(message, hint)
        self.sqlstate = sqlstate


class TransactionConflict(DatabaseError):
    """A deadlock or a serialization failure; not counted as a failure of the attempt."""

    default_hint = "retry the transaction from the start: another transaction changed the same rows"


class SchemaMismatch(HoldfastError):
    """The schema in the database does not fit this program."""

    exit_code = 4


class SchemaBehind(SchemaMismatch):
    """The database lacks tables or functions that this program needs."""

    default_hint = "run 'holdfast migrate'"


class SchemaAhead(SchemaMismatch):
    """A newer Holdfast has migrated the database."""

    default_hint = "upgrade Holdfast on this machine; nothing in the database was changed"


class SchemaDrifted(SchemaMismatch):
    """A migration that the database has applied differs from the one in this program: the first one, if a
    development version before 0.1.0 made the database, or one whose file was changed.
    """

    default_hint = "install the release that migrated this database, or restore the migration file"

    def __init__(self, message: str, hint: str | None = None, migration: int | None = None) -> None:
        super().__init__(message, hint)
        self.migration = migration


class SchemaForeign(SchemaMismatch):
    """The schema holdfast, or an object in it, belongs to a role that is not Holdfast's."""


class NotFound(HoldfastError):
    """No such job, run, queue or worker."""

    exit_code = 5
    default_hint = "check the id; ended jobs are deleted after the retention time of their queue"


class Conflict(HoldfastError):
    """The request contradicts what is stored."""

    exit_code = 6


class UniqueConflict(Conflict):
    """A job with a different payload has the unique key."""

    default_hint = "use another unique key, or wait until the job with this key has ended"


class WrongState(Conflict):
    """The job or run is not in a state that allows this."""

    default_hint = "'holdfast jobs show' shows the state of a job"


class Timeout(HoldfastError):
    """The wait took longer than allowed."""

    exit_code = 7
    default_hint = "wait longer; 'holdfast explain' shows what blocks a job"


class InvalidInput(HoldfastError):
    """A value that was passed is wrong."""

    exit_code = 2
    default_hint = "correct the value that this error names"


class InvalidPayload(InvalidInput):
    """The payload cannot be stored as JSON and come back equal; `path` says which part."""

    default_hint = (
        "pass only JSON values: strings, numbers, true, false, null, lists, and objects with string keys"
    )

    def __init__(self, message: str, hint: str | None = None, path: str = "$") -> None:
        super().__init__(message, hint)
        self.path = path


class InvalidOption(InvalidInput):
    """An option is unknown, or its value is out of range; `path` says where it stands in a JSON document."""

    def __init__(self, message: str, hint: str | None = None, path: str | None = None) -> None:
        super().__init__(message, hint)
        self.path = path


class UnknownTask(InvalidInput):
    """No handler is registered under this name."""

    default_hint = "import the module that defines the task before the worker starts"


class BadHandler(InvalidInput):
    """A payload cannot be passed to a handler with this signature."""


class TransactionEnded(InvalidInput):
    """A handler committed or rolled back inside `ctx.transaction()`, so the job is not completed with it."""

    default_hint = (
        "do not commit or roll back inside the block; to undo everything, raise an exception; to undo a part,"
        " use a savepoint: async with tx.connection.transaction()"
    )


class PermissionDenied(HoldfastError):
    """The database role of this connection may not call that verb."""

    default_hint = (
        "grant the role holdfast_producer, holdfast_worker, holdfast_operator or holdfast_viewer to the user"
    )


class NotAuthenticated(HoldfastError):
    """The access key is missing, unknown, expired or revoked."""

    default_hint = "send a valid key; 'holdfast keys create' makes one"


class AccessDenied(HoldfastError):
    """The role or the scope of the access key does not allow this."""

    default_hint = "use a key with another role or scope; 'holdfast keys list' shows all keys"


class LeaseLost(HoldfastError):
    """Another worker has the job, or it has ended: the database refuses this worker's writes."""

    default_hint = "stop working on the job, because another worker has the job or the job has ended"


class NotConfigured(HoldfastError):
    """This process lacks something that the job needs; not counted as a failure of the job."""

    default_hint = "provide what is missing on the worker's machine, and restart the worker"


class ModelFailed(HoldfastError):
    """A model server answered with an error, or not at all; status and headers decide what happens next.

    `endpoint_ok`: whether the endpoint is healthy, if the status does not say.
    """

    default_hint = "look at the model server's own log"

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        endpoint_ok: bool | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.headers = headers or {}
        self.endpoint_ok = endpoint_ok


class TooManyTurns(HoldfastError):
    """An agent used all its turns without finishing."""

    default_hint = "give the agent a clearer system prompt, or more turns with max_turns"


class JobFailed(HoldfastError):
    """The job ended without completing: `state`, `reason`, and for a dead job its `error`."""

    default_hint = "see the attempts with 'holdfast jobs show', then replay the job"

    def __init__(
        self,
        message: str,
        state: State,
        reason: str | None = None,
        hint: str | None = None,
        error: str | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.state = state
        self.reason = reason
        self.error = error
