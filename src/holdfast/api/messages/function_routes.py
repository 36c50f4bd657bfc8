"""Two routes with the paths of serverless functions: a queue event, and a health check with figures."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.messages.origin_check import OriginCheck
from holdfast.api.producers.job_body import OPTIONS
from holdfast.api.producers.job_store import JobStore
from holdfast.api.producers.scoped_job import scoped_job
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.body import TEXT, VALUE, WORDS, Body, or_null
from holdfast.api.request.sample import sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.doctor_checks import Finding, examine
from holdfast.client.job_documents import read_document, read_job
from holdfast.db import queues, stats
from holdfast.model.access_key import AccessAction
from holdfast.model.error import InvalidPayload
from holdfast.model.stats import EndStats, StatsBy

SINCE = timedelta(hours=1)
MOST_QUEUES = 1000
_STORED = {"success": True, "id": "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11", "created": True}
_EXAMPLE = {
    "eventName": "capture/repository.sync",
    "data": {"repositoryId": "r-17", "priority": "high"},
    "id": "sync-r-17",
}
EVENT = Body({"eventName": TEXT, "data": VALUE, "id": or_null(WORDS), **OPTIONS}, ["eventName"], _EXAMPLE)
_WELL = {
    "status": "healthy",
    "findings": [sample(Finding, check="queues", level="note")],
    "queues": [{"name": "bulk", "pending": 3, "processing": 2, "paused": False}],
    "metrics": {
        "processingRate": typed(float | None, 12.5),
        "failureRate": typed(float | None, 0.02),
        "retrySuccessRate": typed(float | None, 0.9),
        "averageDuration": typed(timedelta | None, 1.7),
    },
}


class FunctionRoutes:
    def __init__(self, app: Holdfast, access: Access, origins: Sequence[str]) -> None:
        self._app, self._access, self._store = app, access, JobStore(app, access)
        self._origin = OriginCheck(origins)

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/.netlify/functions", dependencies=[*KEYED, Depends(self._origin)])
        found.post(
            "/queue-event",
            responses=answers(_STORED, 401, 403, 409, 413, 422, 503),
            openapi_extra={"requestBody": EVENT.openapi},
        )(self.queue_event)
        found.get("/queue-health-check", responses=answers(_WELL, 401, 403, 503))(self.health_check)
        return found

    async def queue_event(self, request: Request) -> Response:
        """Stores an event as a job: `eventName` is its task, `data` its payload, `id` its unique key."""
        async with self._access.with_verb(request, AccessAction.ENQUEUE) as caller:
            document = read_document(await request.body())
            if "id" in document:
                if "unique_key" in document:
                    raise InvalidPayload(
                        "id and unique_key mean the same here.", "send only one of the two", "$.id"
                    )
                document["unique_key"] = document.pop("id")
            job = read_job(document, "eventName", "data")
            stored = await self._store.store_one(request, caller, scoped_job(caller, job))
        return answer({"success": True, "id": stored.id, "created": stored.created})

    async def health_check(self, request: Request) -> Response:
        """Depths of the queues, figures of the last hour, and what `holdfast doctor` finds wrong."""
        await self._access.check(request, AccessAction.HEALTH)
        database = self._app.database
        diagnosis = await examine(database)
        listed = await queues.list_queues(database, MOST_QUEUES)
        ended = await stats.end_stats(database, SINCE, StatsBy.ALL)
        said = {
            "status": "healthy" if diagnosis.ok else "unhealthy",
            "findings": [one for one in diagnosis.findings if one.level != "ok"],
            "queues": [
                {
                    "name": one.name,
                    "pending": one.waiting + one.scheduled + one.ready,
                    "processing": one.running,
                    "paused": one.paused_at is not None,
                }
                for one in listed
            ],
            "metrics": _metrics(next((one for one in ended if one.jobs), None)),
        }
        return answer(said)


def _metrics(ended: EndStats | None) -> dict[str, Any]:
    """Ends per minute, shares from 0 to 1, seconds; null where nothing ended."""
    return {
        "processingRate": ended and ended.per_minute,
        "failureRate": ended and ended.dead / ended.jobs,
        "retrySuccessRate": ended and ended.retry_success_rate,
        "averageDuration": ended and ended.run_mean,
    }
