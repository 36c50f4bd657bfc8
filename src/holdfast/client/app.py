"""The app: its tasks and queues, and its connection to the database."""

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack
from uuid import UUID

from holdfast.client.access_keys import AccessKeys
from holdfast.client.audit import AuditTrail
from holdfast.client.bulk import Bulk, OnProgress, length_of
from holdfast.client.connection_pools import Links
from holdfast.client.dead import DeadLetters
from holdfast.client.endpoint import EndpointSettings, endpoint_wire
from holdfast.client.enqueue_options import RetryRule
from holdfast.client.filters import JobFilter, wire
from holdfast.client.job_handle import JobHandle
from holdfast.client.lifespan import Lifespan
from holdfast.client.metrics import Metrics
from holdfast.client.operator import OperatorActions
from holdfast.client.own_connection import own_connection
from holdfast.client.pipeline import PipelineHandle, check_places
from holdfast.client.read_id import read_id
from holdfast.client.rules import RuleActions
from holdfast.client.run import Run, run_options
from holdfast.client.schedule import ScheduleDecorator
from holdfast.client.schedules import Schedules
from holdfast.client.settings import Settings
from holdfast.client.sync import SyncLoop
from holdfast.client.task import Call, Task
from holdfast.client.task_and_queue_settings import DEFAULT_QUEUE, QueuePolicy, TaskPolicy, queue_wire
from holdfast.client.task_calls import Calls
from holdfast.client.task_decorator import TaskDecorator
from holdfast.client.task_unique_key import MakeKey
from holdfast.client.time_boxed_work import WorkOptions, work
from holdfast.client.worker_plan import WorkerPlan
from holdfast.db import endpoints, jobs, pipelines, queues, rollouts, schedules, worker_needs
from holdfast.db.connect import POOL_SIZE, Database, Turn
from holdfast.db.statement import Declare
from holdfast.model.app_hooks import AppHooks
from holdfast.model.byte_size import Size
from holdfast.model.classify import Classifier, Rules
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import BadHandler, UnknownTask
from holdfast.model.id import JobId, RunId
from holdfast.model.job import Job
from holdfast.model.pipeline import SignalResult
from holdfast.model.process_limits import process_limits
from holdfast.model.retry import RetryPolicy
from holdfast.model.rollout import Rollout
from holdfast.model.worker_need import AHEAD, TARGET, WorkerNeed
from holdfast.pipeline.define import RESET, Pipeline
from holdfast.telemetry.hooks import EventHooks
from holdfast.telemetry.tracer import find_tracer

if TYPE_CHECKING:
    from holdfast.model.report import Report
    from holdfast.worker.worker_report import WorkReport


class Holdfast:
    """One per program. It connects at first use; `async with app:` closes its connections."""

    def __init__(
        self,
        database: str | None = None,
        *,
        name: str = "app",
        version: str | None = None,
        tracing: bool | None = None,
        pool_size: int = POOL_SIZE,
        pool_wait: Duration | None = None,
    ) -> None:
        """`tracing`: spans by OpenTelemetry; None: if the variable HOLDFAST_TRACING says so.

        `pool_size`: connections to the database; `pool_wait`: how long to wait for a free one, then
        DatabaseBusy; None: as long as it takes.
        """
        self.name, self.version, self.tracer = name, version, find_tracer(tracing)
        self.tasks: dict[str, Task[..., Any]] = {}
        self.queues: dict[str, dict[str, Any]] = {}
        self.endpoints: dict[str, dict[str, Any]] = {}
        self.pipelines: dict[str, Pipeline] = {}
        self.app_hooks, self.event_hooks = AppHooks(), EventHooks()
        self.resources, self.around = self.app_hooks.resources, self.app_hooks.around  # decorators
        self.on_event = self.event_hooks.on_event
        self._links = Links(database, name, self.tracer)
        self.set_pool(pool_size, pool_wait)
        self._sync = SyncLoop(self._links)
        self.dead, self.operator = DeadLetters(self._links), OperatorActions(self._links)
        self.settings, self.audit = Settings(self._links), AuditTrail(self._links)
        self.metrics, self.schedules = Metrics(self._links, self._sync), Schedules(self._links)
        self.rules, self.keys = RuleActions(self._links), AccessKeys(self._links)

    async def __aenter__(self) -> Self:
        await self.database.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def database(self) -> Database:
        """The connection pool of the running event loop, opened at first use."""
        return self._links.here().database

    @property
    def queue_names(self) -> list[str]:
        """The queues of its tasks and stages, and those that it configures."""
        stages = {queue for pipeline in self.pipelines.values() for queue in pipeline.queues}
        return sorted({task.policy.queue for task in self.tasks.values()} | self.queues.keys() | stages)

    @property
    def lifespan(self) -> Lifespan:
        """For `FastAPI(lifespan=app.lifespan)`; `app.lifespan.with_worker(…)` also runs jobs there."""
        return Lifespan(self)

    def set_pool(self, size: int, wait: Duration | None) -> None:
        """As `pool_size` and `pool_wait`; before its first connection."""
        self._links.set_pool(size, None if wait is None else parse_duration(wait))

    def share_connections(self, turn: Turn) -> int:
        """`turn`: around each use of a connection of its pool; returns the size of the pool."""
        self._links.turn = turn
        return self._links.pool_size

    async def close(self) -> None:
        """Sends pending enqueues, then closes all connections. The app can be used again afterwards."""
        await asyncio.to_thread(self._sync.close)
        await self._links.close()

    def task(
        self,
        *misplaced: Any,
        name: str | None = None,
        queue: str = DEFAULT_QUEUE,
        priority: int | None = None,
        retry: RetryRule | None = None,
        max_failures: int | None = None,
        timeout: Duration | None = None,
        endpoint: str | None = None,
        max_concurrent: int | None = None,
        rate: str | None = None,
        classify: Rules | None = None,
        mode: Literal["process"] | None = None,
        memory: Size | None = None,
        nice: int | None = None,
        yields: bool = False,
        unique_key: MakeKey | None = None,
        unique_for: Duration | None = None,
    ) -> TaskDecorator:
        """Makes a function a task, under its own name unless `name` is given.

        `max_concurrent` limits how many of its jobs run at once, `rate` ("100/minute") how many start, across
        all workers. `endpoint` is the service that it calls; `classify` adds rules for classes of exceptions.
        In mode="process" the handler has its own process, which its timeout kills. `yields`: the handler
        returns its job unfinished at the margin of a time box, so a worker claims its jobs until then.
        `unique_key` makes a key from the handler's arguments: jobs with the same key are one job, until it
        has ended, or for the time `unique_for` from its enqueue unless it is dead or cancelled.
        """
        if misplaced:
            raise BadHandler(
                "@app.task got a positional argument, but takes only keyword arguments.",
                'write it with parentheses above the function: @app.task() or @app.task(queue="mail")',
            )
        policy = TaskPolicy(
            queue=queue,
            priority=priority,
            max_failures=max_failures,
            retry=None if retry is None else RetryPolicy.parse(retry),
            timeout=None if timeout is None else parse_duration(timeout),
            endpoint=endpoint,
            max_concurrent=max_concurrent,
            rate=rate,
            process=process_limits(mode, memory, nice),
            classify=Classifier.parse(classify),
            yields=yields,
            unique_key=unique_key,
            unique_for=unique_for,
        )
        return TaskDecorator(self.tasks, name, policy, self._links, self._sync, self.app_hooks)

    def queue(self, name: str, **policy: Unpack[QueuePolicy]) -> None:
        """Configures a queue; `declare` sends it, and only changes what is given here."""
        self.queues[name] = queue_wire(name, policy)
        if policy.get("notify") is False:
            self._links.silent.add(name)

    def endpoint(self, name: str, **settings: Unpack[EndpointSettings]) -> None:
        """Configures a downstream service; `declare` sends it, as with queues."""
        self.endpoints[name] = endpoint_wire(name, settings)

    def pipeline(self, pipeline: Pipeline) -> PipelineHandle:
        """Adds a pipeline; `declare` sends it. Enqueue its jobs through the returned handle."""
        check_places(pipeline, self.pipelines.values())
        self.pipelines[pipeline.name] = pipeline
        return PipelineHandle(pipeline, self.tasks, self._links)

    def schedule(
        self,
        cron: str | None = None,
        *,
        every: Duration | None = None,
        tz: str = "UTC",
        name: str | None = None,
        payload: Mapping[str, Any] | None = None,
        missed: Literal["skip", "last", "all"] = "last",
        overlap: Literal["allow", "skip"] = "allow",
    ) -> ScheduleDecorator:
        """Runs a task or pipeline at the times of a cron expression, or at an interval: above `@app.task`, or
        `app.schedule("0 7 * * 1-5", tz="Europe/Berlin")(task)`. Named as its target unless `name` is given.

        `payload`: the values of the handler's parameters. `missed`: what becomes of slots that no worker
        fired in time. `overlap="skip"`: a slot makes no job while that of the last one lives.
        """
        settings = {"cron": cron, "every": every, "tz": tz, "missed": missed, "overlap": overlap}
        return ScheduleDecorator(self.schedules.declared, name, {**settings, "payload": payload or {}})

    async def declare(self) -> None:
        """Sends the settings of queues, tasks, pipelines, schedules and endpoints, as a worker does when it
        starts.
        """
        async with self.database.transaction() as conn:
            for send in self.declarations().values():
                await send(conn)

    def declarations(self) -> dict[str, Declare]:
        """What `declare` sends, in this order, by the name of its subject."""
        said: dict[str, Declare] = {}
        for name in self.queue_names:
            said[f"queue {name}"] = partial(queues.declare_queue, name=name, policy=self._queue_policy(name))
        for name, task in sorted(self.tasks.items()):
            said[f"task {name}"] = partial(queues.declare_task, name=name, policy=task.policy.wire())
        for name, pipeline in sorted(self.pipelines.items()):
            stages = pipeline.wire()
            said[f"pipeline {name}"] = partial(pipelines.declare_pipeline, name=name, definition=stages)
        declared = self.schedules.declared
        said["schedules"] = partial(schedules.declare_schedules, app=self.name, schedules=declared)
        # Last, and in this order, because calls of these endpoints wait for the commit from here on.
        for name, settings in sorted(self.endpoints.items()):
            said[f"endpoint {name}"] = partial(endpoints.declare_endpoint, name=name, settings=settings)
        return said

    def _queue_policy(self, name: str) -> dict[str, Any] | None:
        """The settings of a queue; a stage adds its own, and removes those that it set before."""
        policy = self.queues.get(name)
        for pipeline in self.pipelines.values():
            if name in pipeline.queues:
                policy = {**RESET, **(policy or {}), **pipeline.queues[name]}
        return policy

    def find_task(self, name: str) -> Task[..., Any]:
        if name not in self.tasks:
            raise UnknownTask(f"The app {self.name} has no task {name}.")
        return self.tasks[name]

    async def enqueue_many(
        self,
        calls: Iterable[Call[Any]],
        *,
        conn: object = None,
        progress: OnProgress | None = None,
    ) -> list[JobHandle[Any]]:
        """Store a job for each of `calls`, of any tasks, in one transaction: yours, if you pass `conn`."""
        several = Calls(calls)
        bulk = Bulk(several.jobs(), length_of(calls), several.handle, progress=progress)
        return await bulk.enqueue(own_connection(conn), self._links.here())

    def enqueue_many_sync(
        self,
        calls: Iterable[Call[Any]],
        *,
        conn: object = None,
        progress: OnProgress | None = None,
    ) -> list[JobHandle[Any]]:
        """The same for code without an event loop."""
        several = Calls(calls)
        bulk = Bulk(several.jobs(), length_of(calls), several.handle, progress=progress)
        return bulk.enqueue_sync(own_connection(conn), self._sync)

    async def signal(self, job_id: UUID | str, name: str, data: Any = None) -> SignalResult:
        """Send a signal to a job that waits for it, or will wait for it; the first of each name counts."""
        return await self.job(job_id).signal(name, data)

    def job(self, job_id: UUID | str) -> JobHandle[Any]:
        """A handle for any job; its output is plain JSON."""
        return JobHandle(self._links, JobId(read_id(job_id)), False, None)

    async def jobs(
        self, *, before: UUID | str | None = None, limit: int = 100, **filters: Unpack[JobFilter]
    ) -> list[Job]:
        """Jobs that match, live and ended, newest first; `before` is the last id of the previous page.

        `unique_key` finds them by an index.
        """
        last = None if before is None else JobId(read_id(before))
        return await jobs.list_jobs(self.database, wire(filters), last, limit)

    def run(
        self,
        name: str,
        *,
        on_complete: Call[Any] | None = None,
        labels: Mapping[str, Any] | None = None,
        budget: str | float | None = None,
        max_units: float | None = None,
        max_time: Duration | None = None,
        workers: WorkerPlan | None = None,
        origin: str | None = None,
        actor: str | None = None,
    ) -> Run:
        """A run; start it with `async with`. `on_complete` is enqueued once when it has ended.

        `budget` ("5 USD") and `max_units` limit its usage: beyond them its jobs wait for `raise_budget`.
        After `max_time` none of its jobs start until you call `extend`.
        `workers`: the workers to start for it when it is sealed.
        `origin` and `actor` say what and who caused it; its `on_complete` has them too.
        """
        options = run_options(on_complete, labels, budget, max_units, max_time, origin, actor)
        return Run(self._links, name, options, None, workers)

    def find_run(self, run_id: UUID | str, name: str = "run") -> Run:
        """An existing run."""
        return Run(self._links, name, {}, RunId(read_id(run_id)))

    async def work(self, *, time_box: Duration, **options: Unpack[WorkOptions]) -> "WorkReport":
        """Runs jobs inside a function that must return in time, and returns within the time box.

        At the margin (a fifth of the box) handlers are asked to yield, then cancelled; unfinished jobs are
        released without a failure. `continue_by` starts a successor if work is left.
        """
        return await work(self, time_box, options)

    async def recommended_workers(
        self, queue: str, target: Duration = TARGET, ahead: Duration = AHEAD, slots: int | None = None
    ) -> WorkerNeed:
        """How many workers a queue needs so that its jobs start within `target`, now and `ahead` of now."""
        wanted, later = parse_duration(target), parse_duration(ahead)
        return await worker_needs.recommended_workers(self.database, queue, wanted, later, slots)

    async def report(self, since: Duration = "24h") -> "Report":
        """What happened in the last `since`, as `holdfast report` shows it: read in one snapshot."""
        from holdfast.client.report.read_report import read_report

        return await read_report(self.database, since)

    async def in_rollout(self, name: str, key: str) -> bool:
        """Whether a key takes the new way of a roll-out: the answer of `holdfast.in_rollout`, not cached."""
        return await rollouts.in_rollout(self.database, name, key)

    def in_rollout_sync(self, name: str, key: str) -> bool:
        """The same for code without an event loop."""
        return self._sync.run(lambda link: rollouts.in_rollout(link.database, name, key))

    async def rollouts(self) -> list[Rollout]:
        """By name; a roll-out that was never set is off and not listed. `settings.set_rollout` sets one."""
        return await rollouts.list_rollouts(self.database)

    async def pause_queue(self, name: str, reason: str | None = None) -> None:
        """Workers claim no job of the queue until it is resumed."""
        await queues.pause_queue(self.database, name, reason, self.name)

    async def resume_queue(self, name: str, reason: str | None = None) -> None:
        await queues.resume_queue(self.database, name, reason, self.name)

    async def pause_all_queues(self, reason: str | None = None) -> None:
        """Workers claim no job of any queue, new queues included, until all are resumed."""
        await queues.pause_all(self.database, reason, self.name)

    async def resume_all_queues(self, reason: str | None = None) -> list[str]:
        """Returns the queues that stay paused because they were paused by name."""
        return await queues.resume_all(self.database, reason, self.name)
