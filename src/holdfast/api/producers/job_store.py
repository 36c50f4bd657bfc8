"""Stores jobs for callers of the API, within the scope of their access keys."""

from collections.abc import AsyncIterator, Sequence

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import store_documents
from holdfast.client.new_job import NewJob
from holdfast.db.statement import Executor
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.job import Enqueued


class JobStore:
    """What a caller names is checked before the jobs are stored, where the database put them afterwards.

    A unique key that has a job returns it unchecked: the key holds within the caller's own scope, so that
    the job came from there; it may be pruned by now.
    """

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    async def store_one(self, request: Request, caller: Caller, job: NewJob) -> Enqueued:
        if caller.scope is None:
            (stored,) = await store_documents(self._app.database, [job])
            return stored
        async with self._app.database.transaction() as conn:
            (stored,) = await self.store(request, caller, [job], conn)
            return stored

    async def store_all(
        self, request: Request, caller: Caller, chunks: AsyncIterator[list[NewJob]], conn: Executor
    ) -> list[Enqueued]:
        stored: list[Enqueued] = []
        async for chunk in chunks:
            stored += await self.store(request, caller, chunk, conn)
        return stored

    async def store(
        self, request: Request, caller: Caller, jobs: Sequence[NewJob], conn: Executor
    ) -> list[Enqueued]:
        """In the transaction of the connection, which an error must end."""
        if caller.scope is None:
            return await store_documents(conn, jobs)
        queues = {job.options["queue"] for job in jobs if "queue" in job.options}
        tasks = {job.task for job in jobs}
        enqueue = AccessAction.ENQUEUE
        await self._access.check(request, enqueue, queues=[*queues], tasks=[*tasks], on=conn)
        stored = await store_documents(conn, jobs)
        await self._access.check(request, enqueue, jobs=[one.id for one in stored if one.created], on=conn)
        return stored
