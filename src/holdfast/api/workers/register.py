"""Workers in any language: register, renew the lease, stop."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import MAYBE_WORDS, NAMES, OBJECT, SPAN, UUID, Body, or_null, read_span
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, sample, typed
from holdfast.api.workers.idle_renewals import IdleRenewals
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.client.task_and_queue_settings import DEFAULT_QUEUE
from holdfast.db.remote_worker import sync_jobs
from holdfast.db.worker import register_worker, renew_lease, stop_worker
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, WorkerId
from holdfast.model.worker import JobToStop, Renewal

LEASE = timedelta(seconds=60)
LONGEST_LEASE = timedelta(days=1)
MOST_SLOTS = 10_000
_RENEWAL = sample(Renewal, lease_until="2030-01-31T09:01:00Z")
_UNTIL = typed(datetime, "2030-01-31T09:01:00Z")
_REGISTERED = {"worker": ID, "lease": 60.0, "lease_until": _UNTIL, "renew_every": 20.0}
_STOP = sample(JobToStop, why="cancel", reason="wrong address")
_RENEWED = {"stop": [_STOP], **{name: one for name, one in _RENEWAL.items() if name != "known"}}
MOST_JOBS = 1000
REGISTER = Body(
    {
        "queues": or_null(NAMES),
        "tasks": or_null(NAMES),
        "slots": or_null({"type": "integer", "minimum": 1, "maximum": MOST_SLOTS}),
        "lease": or_null(SPAN),
        "time_box": or_null(SPAN),
        **dict.fromkeys(("name", "group", "version"), MAYBE_WORDS),
        "metadata": or_null(OBJECT),
    },
    example={"queues": ["mail"], "tasks": ["send_mail"], "name": "mailer", "lease": 60},
)
RENEW = Body(
    {"jobs": or_null({"type": "array", "items": UUID, "maxItems": MOST_JOBS})}, example={"jobs": [ID]}
)
STOP = Body({})


class Workers:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access, self._idle = app, access, IdleRenewals(app)

    def routes(self) -> APIRouter:
        return router(
            "workers",
            Route("POST", "/workers", self.register, _REGISTERED, REGISTER, status=201),
            Route("POST", "/workers/{worker_id}/renew", self.renew, _RENEWED, RENEW),
            Route("POST", "/workers/{worker_id}/stop", self.stop, {"released": 0}, STOP),
        )

    async def register(self, request: Request) -> Response:
        """Registers a worker for queues and tasks in the scope of the key, which alone may speak for it.

        Without `queues` or `tasks` it is for those of the key. Renew its lease every `renew_every` seconds,
        or other workers get its jobs.
        """
        caller = await self._access.check(request, AccessAction.WORK)
        given = await REGISTER.read(request)
        queues = given.get("queues") or caller.queues or [DEFAULT_QUEUE]
        tasks = given.get("tasks") or caller.tasks
        info = _info(given, caller, tasks)
        await self._access.check(request, AccessAction.WORK, queues=queues, tasks=tasks)
        worker = WorkerId(uuid4())
        until = await register_worker(self._app.database, worker, queues, info)
        lease = info["lease"]
        said = {"worker": worker, "lease": lease, "lease_until": until, "renew_every": lease / 3}
        return answer(said, 201)

    async def renew(self, request: Request, worker_id: str) -> Response:
        """Renews the lease on all jobs of the worker, and says which of them to stop.

        Name in `jobs` the jobs that it runs: one that it holds without knowing, because the answer to its
        claim was lost, is then given back. `drain`: finish these jobs, then stop.
        """
        worker = WorkerId(read_id(worker_id))
        caller = self._access.recognise(request)
        if caller is None:
            await self._worker(request, worker_id)
        jobs = (await RENEW.read(request)).get("jobs")
        if caller is not None:
            idle = None if jobs else await self._idle.renew((self._access.secret_of(request), worker))
            if idle is not None:
                return answer(_renewed(idle, []))
            await self._worker(request, worker_id)
        known = None if jobs is None else [JobId(read_id(job)) for job in jobs]
        renewed = await renew_lease(self._app.database, worker)
        if not renewed.known:
            raise LeaseLost(f"The worker {worker} has stopped.", "stop its jobs, and register again")
        stop = await sync_jobs(self._app.database, worker, known)
        return answer(_renewed(renewed, stop))

    async def stop(self, request: Request, worker_id: str) -> Response:
        """The worker leaves; jobs that it still holds become ready again, at no cost to them."""
        worker = await self._worker(request, worker_id)
        await STOP.read(request)
        return answer({"released": await stop_worker(self._app.database, worker)})

    async def _worker(self, request: Request, worker_id: str) -> WorkerId:
        worker = WorkerId(read_id(worker_id))
        await self._access.check(request, AccessAction.WORK, worker=worker)
        return worker


def _renewed(renewed: Renewal, stop: Sequence[JobToStop]) -> dict[str, Any]:
    said = {"drain": renewed.drain, "rescued": renewed.rescued, "flags": renewed.flags}
    return {"stop": stop, "lease_until": renewed.lease_until, **said}


def _info(given: Mapping[str, Any], caller: Caller, tasks: list[str] | None) -> dict[str, Any]:
    """What register_worker takes; the access key is who may speak for the worker."""
    lease, time_box = read_span(given, "lease", LONGEST_LEASE) or LEASE, read_span(given, "time_box")
    name = given.get("name")
    found = {
        "access_key": str(caller.key),
        "lease": lease.total_seconds(),
        "tasks": tasks,
        "slots": given.get("slots"),
        "group": given.get("group") or None,
        "version": given.get("version") or None,
        "time_box": None if time_box is None else time_box.total_seconds(),
        "metadata": {
            **(given.get("metadata") or {}),
            "access_key": caller.name,
            **({"name": name} if name else {}),
        },
    }
    return {name: value for name, value in found.items() if value is not None}
