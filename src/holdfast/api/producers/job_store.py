"""Stores jobs for callers of the API, within the scope of their access keys."""

import asyncio
from collections.abc import Sequence
from functools import partial

from starlette.requests import Request

from holdfast.api.producers.refused_job import ManyJobs, first_refused, is_fault_of_a_job
from holdfast.api.request.access import Access
from holdfast.client.app import Holdfast
from holdfast.client.combined_enqueues import CombinedEnqueues
from holdfast.client.enqueue_options import split_options
from holdfast.client.job_documents import store_documents
from holdfast.client.new_job import NewJob
from holdfast.db.access_keys import enqueue_with_key
from holdfast.db.connect import Connection, savepoint
from holdfast.model.access_key import AccessAction, Caller, SecretHash
from holdfast.model.error import HoldfastError
from holdfast.model.job import Enqueued


class JobStore:
    """What a caller names is checked before the jobs are stored, where the database put them afterwards.

    A unique key that has a job returns it unchecked: the key holds within the caller's own scope, so that
    the job came from there; it may be pruned by now.
    """

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access
        self._combined: dict[SecretHash, CombinedEnqueues] = {}

    async def store_one(self, request: Request, caller: Caller, job: NewJob) -> Enqueued:
        """In the statement that checks the key; requests of one key that come at once share it."""
        hashed = self._access.secret_of(request)
        combined = self._combined.get(hashed)
        if combined is None:
            combined = self._combined[hashed] = CombinedEnqueues(partial(self._send, hashed, caller))
        try:
            return await combined.enqueue(job)
        finally:
            if combined.is_idle:
                self._combined.pop(hashed, None)

    async def _send(self, hashed: SecretHash, caller: Caller, jobs: Sequence[NewJob]) -> list[Enqueued]:
        common, varying = split_options([job.options for job in jobs])
        tasks = [job.task for job in jobs]
        each = [dict(zip(varying, own, strict=True)) for own in zip(*varying.values(), strict=True)]
        return await enqueue_with_key(
            self._app.database,
            hashed,
            caller.key,
            tasks[:1] if len(set(tasks)) == 1 else tasks,
            [job.payload for job in jobs],
            {**common, "keys_checked": True},  # the payloads were serialized from dicts
            [{name: value for name, value in own.items() if value is not None} for own in each] or None,
        )

    async def store_all(
        self, request: Request, caller: Caller, jobs: ManyJobs, conn: Connection
    ) -> list[Enqueued]:
        """The key may have been revoked while the body came: it is checked where the jobs are stored.

        One savepoint for all: PostgreSQL keeps 64 subtransactions of a transaction in shared memory, and with
        one for each chunk the snapshots of all other sessions would have to look up the rest.
        """
        await self._access.check(request, AccessAction.ENQUEUE, on=conn)
        stored: list[Enqueued] = []
        try:
            async with savepoint(conn):
                async for chunk in jobs.chunks():
                    stored += await self.store(request, caller, chunk, conn)
        except HoldfastError as exc:
            if is_fault_of_a_job(exc):
                await self._refuse_job(request, caller, jobs, conn, len(stored))
            raise
        return stored

    async def _refuse_job(
        self, request: Request, caller: Caller, jobs: ManyJobs, conn: Connection, stored: int
    ) -> None:
        """Stores the jobs again up to the first that the database refuses; raises the error that names it.

        Returns if it refuses none now: another transaction has ended in between.
        """
        place = 0
        async for chunk in jobs.chunks():
            if place >= stored:
                found = await first_refused(chunk, partial(self.store, request, caller, conn=conn), conn)
                if found is not None:
                    raise await asyncio.to_thread(jobs.refusal, place + found.place, caller, found)
                return
            await self.store(request, caller, chunk, conn)
            place += len(chunk)

    async def store(
        self, request: Request, caller: Caller, jobs: Sequence[NewJob], conn: Connection
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
