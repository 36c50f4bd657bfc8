"""Workers in any language: register, renew the lease, stop."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers, takes
from holdfast.api.request.body import Body
from holdfast.client.app import Holdfast
from holdfast.client.read_id import read_id
from holdfast.client.task_and_queue_settings import DEFAULT_QUEUE
from holdfast.db.remote_worker import sync_jobs
from holdfast.db.worker import register_worker, renew_lease, stop_worker
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, WorkerId

LEASE = timedelta(seconds=60)
LONGEST_LEASE = timedelta(days=1)
MOST_SLOTS = 10_000
_PROBLEMS = (401, 403, 404, 409, 422, 503)
_ID = "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11"
_UNTIL = "2030-01-31T09:01:00Z"
_REGISTERED = {"worker": _ID, "lease": 60.0, "lease_until": _UNTIL, "renew_every": 20.0}
_STOP = {"id": _ID, "why": "cancel", "reason": "wrong address"}
_RENEWED = {"stop": [_STOP], "drain": False, "rescued": False, "lease_until": _UNTIL, "flags": {}}


class Workers:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1/workers", dependencies=KEYED)
        registered = answers(_REGISTERED, *_PROBLEMS, status=201)
        register = takes({"queues": ["mail"], "tasks": ["send_mail"], "name": "mailer", "lease": 60})
        found.post("", status_code=201, responses=registered, openapi_extra=register)(self.register)
        renewed, renew = answers(_RENEWED, *_PROBLEMS), takes({"jobs": [_ID]})
        found.post("/{worker_id}/renew", responses=renewed, openapi_extra=renew)(self.renew)
        stopped = answers({"released": 0}, *_PROBLEMS)
        found.post("/{worker_id}/stop", responses=stopped, openapi_extra=takes({}))(self.stop)
        return found

    async def register(self, request: Request) -> Response:
        """Registers a worker for queues and tasks in the scope of the key, which alone may speak for it.

        Without `queues` or `tasks` it is for those of the key. Renew its lease every `renew_every` seconds,
        or other workers get its jobs.
        """
        caller = await self._access.check(request, AccessAction.WORK)
        body = await Body.of(request)
        queues = body.names("queues") or caller.queues or [DEFAULT_QUEUE]
        tasks = body.names("tasks") or caller.tasks
        info = _info(body, caller, tasks)
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
        worker = await self._worker(request, worker_id)
        body = await Body.of(request)
        jobs = body.ids("jobs")
        body.close()
        renewed = await renew_lease(self._app.database, worker)
        if not renewed.known:
            raise LeaseLost(f"The worker {worker} has stopped.", "drop its jobs, and register again")
        known = None if jobs is None else [JobId(job) for job in jobs]
        stop = await sync_jobs(self._app.database, worker, known)
        said = {"drain": renewed.drain, "rescued": renewed.rescued, "flags": renewed.flags}
        return answer({"stop": stop, "lease_until": renewed.lease_until, **said})

    async def stop(self, request: Request, worker_id: str) -> Response:
        """The worker leaves; jobs that it still holds become ready again, at no cost to them."""
        worker = await self._worker(request, worker_id)
        (await Body.of(request)).close()
        return answer({"released": await stop_worker(self._app.database, worker)})

    async def _worker(self, request: Request, worker_id: str) -> WorkerId:
        worker = WorkerId(read_id(worker_id))
        await self._access.check(request, AccessAction.WORK, worker=worker)
        return worker


def _info(body: Body, caller: Caller, tasks: list[str] | None) -> dict[str, Any]:
    """What register_worker takes; the access key is who may speak for the worker."""
    lease, time_box = body.duration("lease", LONGEST_LEASE) or LEASE, body.duration("time_box")
    name, metadata = body.maybe_text("name"), body.any("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise body.wrong("metadata", "an object")
    found = {
        "access_key": str(caller.key),
        "lease": lease.total_seconds(),
        "tasks": tasks,
        "slots": body.count("slots", 1, MOST_SLOTS),
        "group": body.maybe_text("group"),
        "version": body.maybe_text("version"),
        "time_box": None if time_box is None else time_box.total_seconds(),
        "metadata": {**(metadata or {}), "access_key": caller.name, **({"name": name} if name else {})},
    }
    body.close()
    return {name: value for name, value in found.items() if value is not None}
