"""What a handler may do with its job on the way: go to other stages, wait for people and for children."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from holdfast.db import pipelines
from holdfast.db.connect import Database
from holdfast.model.context import Context
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import BadHandler
from holdfast.model.id import RunId
from holdfast.model.journey import Child, Told, Visit
from holdfast.model.payload import JsonText, encode
from holdfast.model.route import Advance, OnFailure, Stages, Suspend, WaitFor, read_stages
from holdfast.model.signal import ChildFailed, Reject, WaitTimeout
from holdfast.model.state import State
from holdfast.pipeline.models import Models
from holdfast.worker.loaded import Loaded
from holdfast.worker.running import Running

NO_DEFAULT: Any = object()
MOST_NAMED = 3  # children whose ends a message tells


class Journey(Context):
    """Base of JobContext. What it asks the database for is in the methods that start with an underscore."""

    __slots__ = ("_context", "_history", "_running", "_spawned")

    _running: Running

    def _set_out(self) -> None:
        self._context: Loaded[dict[str, Any]] = Loaded("context", self._typed_context)
        self._history: Loaded[list[Visit]] = Loaded("history", self._load_history)
        self._spawned: dict[str, int] = {}

    @property
    def context(self) -> "Loaded[dict[str, Any]]":
        """`await ctx.context`: the latest output of each stage visited before, by name; read at first use."""
        return self._context

    @property
    def history(self) -> "Loaded[list[Visit]]":
        """`await ctx.history`: all outputs, errors and rejections so far, in order; read at first use."""
        return self._history

    def advance(
        self,
        stage: Stages,
        output: Any = None,
        *,
        delay: Duration | None = None,
        on_failure: OnFailure | str = OnFailure.FAIL,
    ) -> Advance:
        """A marker that the handler must return: on to that stage, to several at once, or (None) to the end.

        Several run as children of the job, which goes on after the last of them when all have ended;
        `on_failure` says what one that did not complete means: "fail", "ignore", or "wait" for a replay.
        """
        job = self._running.job
        if job.stage is None:
            raise BadHandler(f"The job {job.id} is in no pipeline.", "enqueue it by its pipeline")
        names, is_many = read_stages(stage)
        after = None if delay is None else parse_duration(delay)
        said = Advance(names, output, is_many, after, OnFailure(on_failure))
        self._running.said = said
        return said

    async def open_stages(self) -> list[str]:
        """Where `advance` may lead: the stages of the job's pipeline that it has not entered too often."""
        job = self._running.job
        return [] if job.stage is None else await pipelines.open_stages(self._database, job.id)

    def reject(self, reason: str) -> NoReturn:
        """Ends the attempt: this job must not be done. The stage's `on_reject` says what becomes of it."""
        raise Reject(reason)

    async def wait_for(self, name: str, *, timeout: Duration | None = None, default: Any = NO_DEFAULT) -> Any:
        """The data of the signal with that name. Until it comes the job waits without a worker.

        The handler is run again from its start when it goes on: what is to be done once belongs into steps.
        Nothing within `timeout`: the default if one is given, else WaitTimeout is raised.
        """
        within = None if timeout is None else parse_duration(timeout)
        told = await self._await_signal(name)
        if told.came:
            return told.data
        if not told.timed_out:
            raise Suspend(f"signal:{name}", within)
        if default is NO_DEFAULT:
            raise WaitTimeout(f"No signal {name} came{'' if within is None else f' within {within}'}.")
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
        """One child per payload, and their outputs in order; until then the job waits without a worker.

        With wait="first" the outputs of those that completed by then; the others are cancelled. The handler
        is run again from its start when it goes on: spawns of one task are told apart by their order, or by
        `name`. A child that did not complete: "fail" raises ChildFailed, "ignore" gives None in its place,
        "wait" waits until somebody has replayed it. Options are those of the SQL verb, for all children.
        """
        called = task if isinstance(task, str) else task.name
        label = name or self._numbered(called)
        texts = [encode({} if payload is None else payload) for payload in payloads]
        policy, wanted = OnFailure(on_failure), WaitFor(wait)
        run, is_over = await self._spawn(label, called, texts, options, wanted, policy)
        if not is_over:
            raise Suspend(f"children:{label}")
        return outputs(await self._load_children(run), wanted, policy)

    def _numbered(self, task: str) -> str:
        self._spawned[task] = count = self._spawned.get(task, 0) + 1
        return f"{task}#{count}"

    async def _typed_context(self) -> dict[str, Any]:
        models = self._models
        found = await self._load_context()
        return {
            stage: models[stage].decode(output) if stage in models else output
            for stage, output in found.items()
        }

    @property
    def _models(self) -> Models:
        raise NotImplementedError

    @property
    def _database(self) -> Database:
        raise NotImplementedError

    async def _load_context(self) -> dict[str, Any]:
        return await pipelines.load_context(self._database, self._running.job.id)

    async def _load_history(self) -> list[Visit]:
        return await pipelines.load_history(self._database, self._running.job.id)

    async def _await_signal(self, name: str) -> Told:
        job = self._running.job
        return await pipelines.await_signal(self._database, job.id, job.token, name)

    async def _spawn(
        self,
        name: str,
        task: str,
        payloads: list[JsonText],
        options: Mapping[str, Any],
        wait: WaitFor,
        on_failure: OnFailure,
    ) -> tuple[RunId, bool]:
        job = self._running.job
        return await pipelines.spawn_children(
            self._database, job.id, job.token, name, [task], payloads, options, wait.value, on_failure.value
        )

    async def _load_children(self, run: RunId) -> list[Child]:
        return await pipelines.load_children(self._database, run)


def outputs(children: list[Child], wait: WaitFor, on_failure: OnFailure) -> list[Any]:
    """Raises ChildFailed if one failed and that matters; a rejected child has answered, with nothing."""
    completed = [child.output for child in children if child.state is State.COMPLETED]
    if wait is WaitFor.FIRST and completed:
        return completed
    failed = [child for child in children if child.state in (State.DEAD, State.CANCELLED)]
    if failed and on_failure is OnFailure.FAIL:
        named = "; ".join(f"{child.id} is {child.state}: {child.reason}" for child in failed[:MOST_NAMED])
        raise ChildFailed(f"{len(failed)} of {len(children)} children did not complete: {named}.")
    return [child.output for child in children]
