"""Stages, waits and children: the parts of a job's context that concern pipelines."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from holdfast.model.context import Context
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.end_attempt import ChildFailed, Reject, WaitTimeout
from holdfast.model.error import BadHandler
from holdfast.model.payload import encode
from holdfast.model.pipeline import Child, Visit
from holdfast.model.stage_routing import Advance, OnFailure, Stages, Suspend, WaitFor, read_stages
from holdfast.model.state import State
from holdfast.telemetry.tracer import carrier_here
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.context.context_port import ContextPort
from holdfast.worker.context.loaded import Loaded

NO_DEFAULT: Any = object()
MOST_NAMED = 3  # children that an error message names


class PipelineContext(Context):
    """Base class of JobContext."""

    __slots__ = ("_attempt", "_context", "_history", "_port", "_spawned")

    def __init__(self, attempt: Attempt, port: ContextPort) -> None:
        self._attempt = attempt
        self._port = port
        self._context: Loaded[dict[str, Any]] | None = None
        self._history: Loaded[list[Visit]] | None = None
        self._spawned: dict[str, int] = {}

    @property
    def context(self) -> "Loaded[dict[str, Any]]":
        """`await ctx.context`: the latest output of each visited stage, by name; read at first use."""
        if self._context is None:
            self._context = Loaded("context", self._load_context)
        return self._context

    @property
    def history(self) -> "Loaded[list[Visit]]":
        """`await ctx.history`: all outputs, errors and rejections so far, in order; read at first use."""
        if self._history is None:
            self._history = Loaded("history", self._load_history)
        return self._history

    def advance(
        self,
        stage: Stages,
        output: Any = None,
        *,
        delay: Duration | None = None,
        on_failure: OnFailure | str = OnFailure.FAIL,
    ) -> Advance:
        """A marker that the handler must return: go to that stage, to several at once, or (None) to the end.

        Several stages run as children of the job, which continues after the last of these stages when all
        have ended; `on_failure` decides about a child that did not complete: "fail", "ignore", or "wait" for
        a replay.
        """
        job = self._attempt.job
        if job.stage is None:
            raise BadHandler(
                f"The job {job.id} is not in a pipeline.",
                "enqueue the job with the enqueue method of the pipeline",
            )
        names, is_many = read_stages(stage)
        after = None if delay is None else parse_duration(delay)
        marker = Advance(names, output, is_many, after, OnFailure(on_failure))
        self._attempt.marker = marker
        return marker

    async def open_stages(self) -> list[str]:
        """The stages that `advance` may name: those that the job has not entered `max_visits` times."""
        job = self._attempt.job
        return [] if job.stage is None else await self._port.open_stages(job)

    def reject(self, reason: str) -> NoReturn:
        """Ends the attempt: the job must not be done. The stage's `on_reject` decides what happens to it."""
        raise Reject(reason)

    async def wait_for(self, name: str, *, timeout: Duration | None = None, default: Any = NO_DEFAULT) -> Any:
        """The data of the signal with that name. Until it arrives, the job waits without a worker.

        The handler then runs again from the start: put work that must run once into steps. After `timeout`
        it returns the default if there is one, else raises WaitTimeout.
        """
        within = None if timeout is None else parse_duration(timeout)
        told = await self._port.await_signal(self._attempt.job, name)
        if told.came:
            return told.data
        if not told.timed_out:
            raise Suspend(f"signal:{name}", within)
        if default is NO_DEFAULT:
            raise WaitTimeout(f"No signal {name} arrived{'' if within is None else f' within {within}'}.")
        return default

    async def spawn(
        self,
        task: Any,
        payloads: Iterable[Any],
        *,
        name: str | None = None,
        wait: WaitFor | str = WaitFor.ALL,
        on_failure: OnFailure | str = OnFailure.FAIL,
        **options: Any,
    ) -> list[Any]:
        """Creates one child per payload and returns their outputs in order; until then the job waits without
        a worker.

        With wait="first" it returns the outputs of the children that have completed by then, and cancels the
        others. The handler then runs again from the start: several spawns of one task are distinguished by
        their order, or by `name`. For a child that did not complete, "fail" raises ChildFailed, "ignore"
        returns None in its place, and "wait" waits until an operator has replayed it. Options are those of
        the SQL verb, for all children.
        """
        called = task if isinstance(task, str) else task.name
        label = name or self._numbered(called)
        texts = [encode({} if payload is None else payload) for payload in payloads]
        policy, wanted = OnFailure(on_failure), WaitFor(wait)
        run, is_over = await self._port.spawn_children(
            self._attempt.job, label, called, texts, in_trace(options), wanted, policy
        )
        if not is_over:
            raise Suspend(f"children:{label}")
        return outputs(await self._port.load_children(run), wanted, policy)

    def _numbered(self, task: str) -> str:
        self._spawned[task] = count = self._spawned.get(task, 0) + 1
        return f"{task}#{count}"

    async def _load_context(self) -> dict[str, Any]:
        models = self._port.models(self._attempt.job)
        found = await self._port.load_context(self._attempt.job)
        return {
            stage: models[stage].decode(output) if stage in models else output
            for stage, output in found.items()
        }

    async def _load_history(self) -> list[Visit]:
        return await self._port.load_history(self._attempt.job)


def in_trace(options: Mapping[str, Any]) -> dict[str, Any]:
    """Children belong to the span in which they are created; in a trace of their own if they name one."""
    carrier = carrier_here()
    return dict(options) if carrier is None else {"trace": dict(carrier), **options}


def outputs(children: list[Child], wait: WaitFor, on_failure: OnFailure) -> list[Any]:
    """Raises ChildFailed if a child failed and on_failure is "fail"; a rejected child counts as an answer of
    None.
    """
    completed = [child.output for child in children if child.state is State.COMPLETED]
    if wait is WaitFor.FIRST and completed:
        return completed
    failed = [child for child in children if child.state in (State.DEAD, State.CANCELLED)]
    if failed and on_failure is OnFailure.FAIL:
        named = "; ".join(f"{child.id} is {child.state}: {child.reason}" for child in failed[:MOST_NAMED])
        raise ChildFailed(f"{len(failed)} of {len(children)} children did not complete: {named}.")
    return [child.output for child in children]
