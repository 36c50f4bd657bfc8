"""Starts runs for callers of the API, once for each Idempotency-Key, and puts jobs into them."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.producers.job_store import JobStore
from holdfast.api.producers.refused_job import ManyJobs, RefusedJob
from holdfast.api.request.answer import answer
from holdfast.api.request.problem import RequestRefused
from holdfast.client.new_job import NewJob
from holdfast.db import runs
from holdfast.db.connect import Connection
from holdfast.model.access_key import Caller
from holdfast.model.id import RunId
from holdfast.model.run_progress import StartedRun


class NewRuns:
    """All in the transaction of the connection: a run is there with all its jobs, or not at all."""

    def __init__(self, store: JobStore) -> None:
        self._store = store

    async def start(
        self,
        caller: Caller,
        name: str,
        options: Mapping[str, Any],
        conn: Connection,
        key: str | None,
        digest: bytes,
    ) -> StartedRun:
        """`digest`: of the whole request, for which the key stands."""
        said = {**options, "actor": caller.name}
        if caller.scope is not None:
            said["scope"] = caller.scope
        if key is None:
            return StartedRun(await runs.start_run(conn, name, said), True)
        return await runs.start_run_once(conn, name, said, f"access key {caller.key} runs", key, digest)

    async def fill(
        self,
        request: Request,
        caller: Caller,
        run: StartedRun,
        jobs: ManyJobs,
        seal: bool,
        conn: Connection,
    ) -> Response:
        """The run of a repeated request stays as it is."""
        if not run.created:
            return answer({"run": run.id, "ids": None, "created": 0})
        stored = await self._store.store_all(request, caller, JoiningJobs(run.id, jobs), conn)
        if seal:
            await runs.seal_run(conn, run.id)
        created = sum(one.created for one in stored)
        return answer({"run": run.id, "ids": [one.id for one in stored], "created": created}, 201)


@dataclass(frozen=True, slots=True)
class JoiningJobs:
    """Jobs that join a run."""

    run: RunId
    jobs: ManyJobs

    async def chunks(self) -> AsyncIterator[list[NewJob]]:
        async for chunk in self.jobs.chunks():
            yield [NewJob(job.task, job.payload, {**job.options, "run": str(self.run)}) for job in chunk]

    def refusal(self, place: int, caller: Caller, refused: RefusedJob) -> RequestRefused:
        return self.jobs.refusal(place, caller, refused)
