"""A handle on a stored job: ask for its state and progress, wait for its output, cancel it."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, Generic, TypeVar

from holdfast.client.connection_pools import Links
from holdfast.client.json_conversion import Converter
from holdfast.client.log_follower import follow_logs
from holdfast.client.wait import wait_until
from holdfast.db import jobs, logs, pipelines
from holdfast.model.checkpoint import Checkpoint
from holdfast.model.duration import Duration
from holdfast.model.error import JobFailed, NotFound, PermissionDenied
from holdfast.model.handler_log import LogLine
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobProgress
from holdfast.model.payload import encode
from holdfast.model.pipeline import SignalResult
from holdfast.model.queue import CancelResult, ReplayResult
from holdfast.model.state import State

R = TypeVar("R")

# A transition locks a row for a moment; a longer lock is an open transaction of another session.
BUSY_FOR = timedelta(seconds=10)


class JobHandle(Generic[R]):
    """`created` is false if the unique key belongs to an existing job."""

    __slots__ = ("_links", "_output", "created", "id")

    def __init__(self, links: Links, job_id: JobId, created: bool, output: Converter | None) -> None:
        self.id = job_id
        self.created = created
        self._links = links
        self._output = output

    def __repr__(self) -> str:
        return f"<JobHandle {self.id}>"

    async def job(self) -> Job:
        """The job as it is stored now."""
        found = await jobs.get_job(self._links.here().database, self.id)
        if found is None:
            raise self._not_found()
        return found

    async def status(self) -> State:
        """For a producer too, if its own login enqueued the job."""
        found = await jobs.job_states(self._links.here().database, [self.id])
        if not found:
            raise self._not_found()
        return found[0].state

    async def progress(self) -> JobProgress | None:
        """The last progress that its handler reported, also after the end; None if it reported none."""
        return (await self.job()).progress

    async def checkpoints(self) -> list[Checkpoint]:
        """The partial work that its handlers have saved, for people: as text, redacted, cut after 8 KiB."""
        return await jobs.list_checkpoints(self._links.here().database, self.id)

    async def logs(self, attempt: int | None = None) -> list[LogLine]:
        """What its handler logged, of one attempt or of all, as far as its queue keeps it (`logs`)."""
        return await logs.list_lines(self._links.here().database, self.id, attempt)

    def follow_logs(self) -> AsyncIterator[LogLine]:
        """The lines that are there, then new ones as they are stored, until the job has ended."""
        return follow_logs(self._links.here().database, self.id)

    async def result(self, timeout: Duration | None = None) -> R:
        """The handler's output. Raises JobFailed if the job did not complete, Timeout after `timeout`."""
        ended = await wait_until(self._ended, timeout, f"The job {self.id} did not end")
        if ended.state is not State.COMPLETED:
            raise await self._failed(ended)
        output: R = self._converted(ended.output)
        return output

    async def cancel(self, reason: str | None = None) -> CancelResult:
        """Cancel the job, or ask its worker to stop if it is running."""

        async def ask() -> CancelResult | None:
            database = self._links.here().database
            answer = await jobs.cancel_jobs(database, [self.id], reason, self._links.name)
            return None if answer[self.id] is CancelResult.BUSY else answer[self.id]

        return await wait_until(
            ask, BUSY_FOR, f"The job {self.id} is locked by another transaction and was not cancelled"
        )

    async def replay(self, reason: str | None = None, *, stage: str | None = None) -> ReplayResult:
        """Start an ended job again under the same id, at a stage of its pipeline or where it ended."""
        database = self._links.here().database
        answer = await jobs.replay_jobs(database, [self.id], reason, self._links.name, stage)
        return answer[self.id]

    async def signal(self, name: str, data: Any = None) -> SignalResult:
        """Send a signal that the job waits for, or will wait for; the first of each name counts."""
        database = self._links.here().database
        return SignalResult(await pipelines.signal(database, self.id, name, encode(data), self._links.name))

    def _not_found(self) -> NotFound:
        return NotFound(
            f"There is no job {self.id}.",
            "if you enqueued the job in a transaction, commit the transaction first; ended jobs are "
            "deleted after the retention of their queue; a producer finds only jobs of its own login",
        )

    def _converted(self, output: Any) -> Any:
        return output if self._output is None or output is None else self._output.from_json(output)

    async def _ended(self) -> Job | None:
        found = await self.job()
        return found if found.is_ended else None

    async def _failed(self, ended: Job) -> JobFailed:
        error = await self._last_error() if ended.state is State.DEAD else None
        said = [f"The job {self.id} ({ended.task}) ended {ended.state}", ended.reason, error]
        message = ": ".join(one.rstrip(".") for one in said if one) + "."
        return JobFailed(message, ended.state, ended.reason, error=error)

    async def _last_error(self) -> str | None:
        """None for a role that may not read attempts; the job's reason must suffice."""
        try:
            attempts = await jobs.list_attempts(self._links.here().database, self.id)
        except PermissionDenied:
            return None
        return next((f"{one.error_type}: {one.message}" for one in attempts if one.error_type), None)
