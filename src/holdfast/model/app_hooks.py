"""What an app puts around its handlers: resources for the life of a worker, wrappers of each attempt."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from holdfast.model.error import BadHandler

Manager: TypeAlias = AbstractAsyncContextManager[Any]
Wrapper: TypeAlias = Callable[[Any], Manager]
R = TypeVar("R", bound=Callable[[], AsyncIterator[Any] | Manager])
W = TypeVar("W", bound=Callable[[Any], AsyncIterator[None] | Manager])

# contextlib's message, and what the author of the function needs to know.
_MISTAKES = {"generator didn't yield": "ended before it yielded", "generator didn't stop": "yielded twice"}


class AppHooks:
    """An app shares them with its tasks, so that a child process that imports only a task finds them."""

    __slots__ = ("opens", "wrappers")

    def __init__(self) -> None:
        self.opens: Callable[[], Manager] | None = None
        self.wrappers: list[Wrapper] = []

    def resources(self, function: R, /) -> R:
        """Decorates an async generator function: the value it yields is `ctx.resources`.

        Each worker, and each child process of a worker, opens them once and closes them when it exits.
        """
        if self.opens is not None:
            raise BadHandler(
                "The app already has a function for @app.resources.", "yield all resources from one function"
            )
        self.opens = _managing(function, "resources", "no parameters", 0)
        return function

    def around(self, function: W, /) -> W:
        """Decorates an async generator function that takes the JobContext and yields once: the handler runs
        at the yield. It wraps every attempt of every task; the first such function is the outermost.
        """
        self.wrappers.append(_managing(function, "around", "one parameter, the JobContext", 1))
        return function


def _managing(function: Callable[..., Any], name: str, takes: str, count: int) -> Callable[..., Manager]:
    if not inspect.isasyncgenfunction(inspect.unwrap(function)):
        raise BadHandler(
            f"@app.{name} must decorate an async generator function (got {function!r}).",
            "write an async def that contains exactly one yield",
        )
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError as exc:
        raise BadHandler(
            f"The function {function.__qualname__} cannot be called: {exc}.",
            f"the function must take {takes}",
        ) from None
    manage = asynccontextmanager(function) if inspect.isasyncgenfunction(function) else function
    return lambda *given: _YieldsOnce(manage(*given), function.__qualname__)


class _YieldsOnce:
    """The same manager, with an error that names the function."""

    __slots__ = ("_manager", "_name")

    def __init__(self, manager: Manager, name: str) -> None:
        self._manager = manager
        self._name = name

    async def __aenter__(self) -> Any:
        with self._explained():
            return await self._manager.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        with self._explained():
            return await self._manager.__aexit__(kind, error, trace)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as exc:
            if (mistake := _MISTAKES.get(str(exc))) is None:
                raise
            raise BadHandler(
                f"The function {self._name} {mistake}.", "the function must yield exactly once, or raise"
            ) from None
