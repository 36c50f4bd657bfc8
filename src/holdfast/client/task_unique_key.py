"""The unique key of a task's jobs, made from their arguments: identical work is one job."""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from holdfast.client.enqueue_options import Wire, with_options
from holdfast.model.duration import Duration
from holdfast.model.error import BadHandler, InvalidInput
from holdfast.model.printable import text_of

MakeKey = Callable[..., str]

LONGEST_KEY = 1000
_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
NOT_GIVEN = Parameter.empty


class TaskUniqueKey:
    """Of one task. The key is made from the arguments as the handler gets them, whoever enqueues."""

    __slots__ = ("_defaults", "_make", "_names", "_options", "_task")

    def __init__(self, task: str, handler: Callable[..., Any], make: object, lasts: Duration | None) -> None:
        if not callable(make) or isinstance(make, type) or inspect.iscoroutinefunction(make):
            raise BadHandler(
                f"unique_key of the task {task} must be a plain function (got {make!r}).",
                "pass a function that makes a string from the handler's arguments: "
                "unique_key=lambda document: document",
            )
        self._task, self._make = task, make
        taken = inspect.signature(handler).parameters
        self._defaults = {one.name: one.default for one in taken.values() if one.default is not NOT_GIVEN}
        self._names = _names(make)
        missing = [name for name in _required(make) if name not in taken]
        if missing:
            raise BadHandler(
                f"unique_key of the task {task} takes {', '.join(missing)}, which its handler does not take.",
                "use only parameters of the handler; the function gets the arguments with these names",
            )
        self._options = with_options({}, {"unique_key": "-", "unique_for": lasts})

    def options(self, arguments: dict[str, Any], pipeline: str | None) -> Wire:
        """The options of a job with these arguments. Raises InvalidInput if it has no key."""
        scope = {} if pipeline is None else {"unique_scope": f"pipeline {pipeline}"}
        return {**self._options, "unique_key": self._checked(self._key(arguments)), **scope}

    def _key(self, arguments: dict[str, Any]) -> Any:
        given = self._defaults | arguments
        if self._names is not None:
            given = {name: value for name, value in given.items() if name in self._names}
        try:
            return self._make(**given)
        except Exception as exc:
            raise InvalidInput(
                f"unique_key of the task {self._task} raised {type(exc).__name__}: {text_of(exc)}.",
                "correct the function; nothing was enqueued",
            ) from exc

    def _checked(self, key: Any) -> str:
        if isinstance(key, str) and _fits(key):
            return key
        said = f"{len(key)} characters" if isinstance(key, str) and key else repr(key)
        raise InvalidInput(
            f"unique_key of the task {self._task} must return a string of 1 to {LONGEST_KEY} bytes that "
            f"PostgreSQL can store (got {said}).",
            "return a short string, or the hash of a long one",
        )


def _fits(key: str) -> bool:
    try:
        return 1 <= len(key.encode()) <= LONGEST_KEY and "\0" not in key
    except UnicodeEncodeError:
        return False


def _names(make: MakeKey) -> set[str] | None:
    """The parameters that the function takes; None if it takes all."""
    parameters = inspect.signature(make).parameters.values()
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        return None
    return {one.name for one in parameters if one.kind in _BY_NAME}


def _required(make: MakeKey) -> list[str]:
    parameters = inspect.signature(make).parameters.values()
    return [one.name for one in parameters if one.kind in _BY_NAME and one.default is NOT_GIVEN]
