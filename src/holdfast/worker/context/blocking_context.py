"""The methods of a JobContext for a plain function: each waits until the worker has done it."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from holdfast.model.duration import Duration
from holdfast.model.error import BadHandler
from holdfast.model.id import JobId
from holdfast.model.pipeline import Visit
from holdfast.model.recorded_call import NewCall
from holdfast.telemetry.trace_names import STEP, step_span
from holdfast.telemetry.tracer import Kind, span
from holdfast.worker.context.cached_value import WAIT
from holdfast.worker.context.context_port import ContextPort

if TYPE_CHECKING:
    from holdfast.worker.context.job_context import JobContext

T = TypeVar("T")
UNNAMED: Any = object()  # the mark of a checkpoint without a name


class BlockingContext:
    __slots__ = ("_context", "_port")

    def __init__(self, context: "JobContext", port: ContextPort) -> None:
        self._context = context
        self._port = port

    @property
    def context(self) -> dict[str, Any]:
        """The latest output of each stage that the job has visited, by name."""
        return self._do(_value(self._context.context))

    @property
    def history(self) -> list[Visit]:
        """All outputs, errors and rejections so far, in order."""
        return self._do(_value(self._context.history))

    @property
    def resume_data(self) -> Any:
        """What `checkpoint(data)` saved last, or None."""
        return self._do(_value(self._context.resume_data))

    @overload
    def checkpoint(self, data: Any, /) -> None: ...

    @overload
    def checkpoint(self, name: str, data: Any) -> None: ...

    def checkpoint(self, name: Any, data: Any = UNNAMED) -> None:
        self._do(self._context.checkpoint(name, data))

    def checkpoints(self) -> dict[str, Any]:
        return self._do(self._context.checkpoints())

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of `work`, which runs in this thread; once recorded, it does not run again."""
        saved = self.checkpoints()
        if name not in saved:
            with span(step_span(name), Kind.INTERNAL, {STEP: name}):
                self.checkpoint(name, work())
        return saved[name]

    def cached(
        self,
        key: str,
        lasts: Duration,
        compute: Callable[[], Any],
        *,
        wait: Duration = WAIT,
        scope: str | None = None,
    ) -> Any:
        """The value of `key`; `compute` runs in this thread if there is none."""
        use = self._context._cached_value(key, lasts, wait, scope)
        if self._do(use.take()):
            return use.value
        try:
            return self._do(use.save(compute()))
        except Exception as exc:
            self._do(use.free(exc))
            raise

    def wait_for(self, name: str, **options: Any) -> Any:
        return self._do(self._context.wait_for(name, **options))

    def spawn(self, task: Any, payloads: Iterable[Any], **options: Any) -> list[Any]:
        return self._do(self._context.spawn(task, payloads, **options))

    def progress(
        self,
        done: int,
        total: int | None = None,
        failed: int | None = None,
        note: str | None = None,
        *,
        item: str | None = None,
        error: BaseException | str | None = None,
    ) -> None:
        self._do(self._context.progress(done, total, failed, note, item=item, error=error))

    def label(self, **labels: Any) -> None:
        self._do(self._context.label(**labels))

    def save_call(self, call: NewCall, checkpoint: str | None = None, data: Any = None) -> None:
        self._do(self._context.save_call(call, checkpoint, data))

    def open_stages(self) -> list[str]:
        return self._do(self._context.open_stages())

    def enqueue(self, task: Any, payload: Any = None, **options: Any) -> JobId:
        return self._do(self._context.enqueue(task, payload, **options))

    def transaction(self, output: Any = None) -> NoReturn:
        """Not available: the statements of its block would have to run in the worker's event loop."""
        self._context.transaction(output)  # in process mode the error says what to do there
        raise BadHandler(
            "ctx.blocking has no transaction: a plain function does not run in the worker's event loop.",
            "write the handler as 'async def', and use 'async with ctx.transaction()'",
        )

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._port.run_blocking(work)


async def _value(loaded: Awaitable[T]) -> T:
    return await loaded
