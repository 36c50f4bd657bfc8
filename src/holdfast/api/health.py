"""Probes, metrics and health of the server: /livez, /readyz, /metrics and /api/v1/health."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from holdfast.api.live.shared_reader import SharedReader
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers
from holdfast.api.request.figures import Figures
from holdfast.api.request.sample import sample, typed
from holdfast.client.app import Holdfast
from holdfast.client.doctor_checks import Finding, examine
from holdfast.db.schema_check import require_schema
from holdfast.model.access_key import AccessAction
from holdfast.model.error import DatabaseUnavailable
from holdfast.telemetry.prometheus_text import CONTENT_TYPE, exposition

Ready = Callable[[], Awaitable[object]]

READY_WITHIN = timedelta(seconds=5)
LOOK_EVERY = timedelta(seconds=1)
WELL = {"ok": True, "findings": [sample(Finding, check="database", message="PostgreSQL 18.0", fix=None)]}


class Health:
    """`checks`: what must hold besides the database; one that raises is failing."""

    def __init__(self, app: Holdfast, access: Access, checks: Mapping[str, Ready], figures: Figures) -> None:
        self._app, self._access, self._figures = app, access, figures
        self._checks = {"database": self._database, **checks}
        self._looks = SharedReader(self._look, LOOK_EVERY, rest=0)

    def routes(self) -> APIRouter:
        found = APIRouter()
        found.get("/livez", responses=answers({"status": "ok"}))(self.livez)
        ready = {"status": "ok", "failing": typed(list[str])}
        not_ready = {"status": "unavailable", "failing": typed(list[str], ["database"])}
        found.get("/readyz", responses=answers(ready) | answers(not_ready, status=503))(self.readyz)
        text = answers("# TYPE holdfast_queue_ready gauge", 401, 403, 503, media_type="text/plain")
        keyed = APIRouter(dependencies=KEYED)
        keyed.get("/metrics", responses=text, response_class=PlainTextResponse)(self.metrics)
        keyed.get("/api/v1/health", responses=answers(WELL, 401, 403, 503))(self.health)
        found.include_router(keyed)
        return found

    async def livez(self) -> Response:
        """Answers as long as the process can: for a liveness probe. Needs no access key."""
        return answer({"status": "ok"})

    async def readyz(self) -> Response:
        """For a readiness probe: 503 with the names of the checks that fail. Needs no access key."""
        failing = await failing_checks(self._checks)
        status = "unavailable" if failing else "ok"
        return answer({"status": status, "failing": failing}, 503 if failing else 200)

    async def metrics(self, request: Request) -> Response:
        """The text of `holdfast metrics`, and the requests of this server.

        Needs a viewer, operator or admin for all queues and tasks.
        """
        await self._access.check(request, AccessAction.METRICS)
        text = await self._app.metrics.text() + exposition(self._figures.families())
        return Response(text, media_type=CONTENT_TYPE)

    async def health(self, request: Request) -> Response:
        """What `holdfast doctor` finds, with reasons and fixes. Needs the same keys as the metrics."""
        await self._access.check(request, AccessAction.HEALTH)
        return answer(await examine(self._app.database))

    async def _database(self) -> None:
        """/readyz needs no key, and each look takes a connection: so all callers share one look a second."""
        with self._looks.watch("database") as watch:
            if not await watch.first():
                raise DatabaseUnavailable("The database is not ready.")

    async def _look(self, names: Sequence[str]) -> AsyncIterator[tuple[str, bool]]:
        for name in names:
            yield name, await _holds(self._reach)

    async def _reach(self) -> None:
        async with self._app.database.connection() as conn:
            await require_schema(conn, self._app.database.address)


async def failing_checks(checks: Mapping[str, Ready]) -> list[str]:
    found = await asyncio.gather(*(_holds(check) for check in checks.values()))
    return [name for name, holds in zip(checks, found, strict=True) if not holds]


async def _holds(check: Ready) -> bool:
    """A probe needs no key, so it does not say which error it is: the log and /api/v1/health do."""
    try:
        async with asyncio.timeout(READY_WITHIN.total_seconds()):
            await check()
    except Exception:
        return False
    return True
