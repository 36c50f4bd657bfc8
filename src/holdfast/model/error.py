"""Every exception that Holdfast raises.

HoldfastError                       exit code 1
├── DatabaseUnavailable             3   no connection, or it broke
├── DatabaseError                   1   the database refused a statement, for a reason that is not ours
│   └── TransactionConflict             a deadlock or serialization failure: try again from the start
├── SchemaMismatch                  4
│   ├── SchemaBehind                    the database needs `holdfast migrate`
│   ├── SchemaAhead                     the database is newer than this program
│   ├── SchemaDrifted                   an applied migration was changed afterwards
│   └── SchemaForeign                   what is in Holdfast's place belongs to somebody else
├── NotFound                        5
├── Conflict                        6
│   ├── UniqueConflict                  same unique key, other payload
│   └── WrongState                      the job or run is not in a state for that verb
├── Timeout                         7
├── InvalidInput                    2
│   ├── InvalidPayload                  has .path, the JSON path of what is wrong
│   ├── InvalidOption
│   ├── UnknownTask
│   ├── BadHandler
│   └── TransactionEnded                a handler ended the transaction of its job itself
├── PermissionDenied                1   the database role may not call that verb
├── LeaseLost                       1   the job was given to another worker
├── NotConfigured                   1   this process lacks a package or an environment variable
├── ModelFailed                     1   a model server answered with an error, or not at all
├── TooManyTurns                    1   an agent came to no end
└── JobFailed                       1   raised by a job's result when it did not complete

What a handler raises to say how its attempt ends is another tree, in `signal.py`.
"""

from collections.abc import Mapping

from holdfast.model.state import State


class HoldfastError(Exception):
    """Base of everything that Holdfast raises; `hint` says what to do about it, in tracebacks, too."""

    exit_code = 1
    default_hint: str | None = None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint if hint is not None else self.default_hint

    @property
    def hint(self) -> str | None:
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        """A traceback prints an exception's notes; the note of the hint before goes."""
        notes: list[str] = self.__dict__.setdefault("__notes__", [])
        before = self.__dict__.get("_hint")
        notes[:] = [note for note in notes if note != f"hint: {before}"]
        self._hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


class DatabaseUnavailable(HoldfastError):
    """The database cannot be reached, or the connection to it broke."""

    exit_code = 3
    default_hint = "check that PostgreSQL runs and that HOLDFAST_DATABASE_URL points to it"


class DatabaseError(HoldfastError):
    """The database refused a statement for a reason that is not one of Holdfast's own."""

    default_hint = (
        "look at the database's log; if nothing there explains it, report it as a defect of Holdfast"
    )

    def __init__(self, message: str, hint: str | None = None, sqlstate: str | None = None) -> None:
        super().__init__(message, hint)
        self.sqlstate = sqlstate


class TransactionConflict(DatabaseError):
    """A deadlock or a serialization failure; an attempt that ends with it costs no failure."""

    default_hint = "the transaction met another one; try it again from the start"


class SchemaMismatch(HoldfastError):
    """The schema in the database does not fit this program."""

    exit_code = 4


class SchemaBehind(SchemaMismatch):
    """The database lacks what this program needs."""

    default_hint = "run holdfast migrate"


class SchemaAhead(SchemaMismatch):
    """The database was migrated by a newer Holdfast."""

    default_hint = "upgrade Holdfast on this machine; nothing in the database was changed"


class SchemaDrifted(SchemaMismatch):
    """A migration that the database has applied differs from the one in this program."""

    default_hint = "install the release that migrated this database, or restore the migration file"


class SchemaForeign(SchemaMismatch):
    """The schema holdfast, or something in it, belongs to a role that is not Holdfast's."""


class NotFound(HoldfastError):
    """No such job, run, queue or worker."""

    exit_code = 5
    default_hint = "check the id; ended jobs are pruned after their queue's retention"


class Conflict(HoldfastError):
    """The request contradicts what is stored."""

    exit_code = 6


class UniqueConflict(Conflict):
    """The unique key is taken by a job with another payload."""

    default_hint = "use another unique key, or wait until the first job has ended"


class WrongState(Conflict):
    """The job or run is not in a state in which this can be done."""

    default_hint = "look at its state with holdfast jobs show"


class Timeout(HoldfastError):
    """Something did not happen in the time given."""

    exit_code = 7
    default_hint = "wait longer, or find out what holds it up with holdfast explain"


class InvalidInput(HoldfastError):
    """What was asked for cannot be right."""

    exit_code = 2
    default_hint = "correct the value that the message names"


class InvalidPayload(InvalidInput):
    """The payload cannot be stored as JSON and come back equal; `path` says which part."""

    default_hint = (
        "pass only what JSON can carry: text, numbers, true, false, null, lists, and objects with text keys"
    )

    def __init__(self, message: str, hint: str | None = None, path: str = "$") -> None:
        super().__init__(message, hint)
        self.path = path


class InvalidOption(InvalidInput):
    """An option is unknown or its value is out of bounds."""


class UnknownTask(InvalidInput):
    """No handler is registered under this name."""

    default_hint = "import the module that defines the task before the worker starts"


class BadHandler(InvalidInput):
    """The handler's signature cannot be called with a payload."""


class TransactionEnded(InvalidInput):
    """A handler committed or rolled back inside `ctx.transaction()`, so the job is not completed with it."""

    default_hint = (
        "leave commit and rollback to the block: raise to undo all of it, or undo a part of it"
        " with a savepoint, async with tx.connection.transaction()"
    )


class PermissionDenied(HoldfastError):
    """The database role of this connection may not call that verb."""

    default_hint = (
        "grant the role holdfast_producer, holdfast_worker, holdfast_operator or holdfast_viewer to the user"
    )


class LeaseLost(HoldfastError):
    """The job was rescued from this worker; its writes no longer count."""

    default_hint = "stop working on the job: another worker has it or it has ended"


class NotConfigured(HoldfastError):
    """This process lacks what the work needs; that is not the job's fault, so it costs no failure."""

    default_hint = "install or set what the message names where the worker runs, and restart the worker"


class ModelFailed(HoldfastError):
    """A model server answered with an error, or not at all; its status and headers say what follows.

    `endpoint_ok`: whether it is well all the same, where the status cannot tell.
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
    """An agent used up its turns without coming to an end."""

    default_hint = "give the agent a clearer system prompt, or more turns with max_turns"


class JobFailed(HoldfastError):
    """The job ended, but not completed; `state` and `reason` say how, `error` what a dead one died of."""

    default_hint = "look at its attempts with holdfast jobs show, then replay it"

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
