"""Dead letters for people: list, groups by error, one with its history, triage, replay with a canary."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.people.operate_jobs import STAGE
from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import IDS, REASON, Body, read_jobs
from holdfast.api.request.pages import Cursor, Size, page, page_by_place, paged, wrong_cursor
from holdfast.api.request.query_filters import LETTER_FILTERS
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID, TIME, sample, typed
from holdfast.api.request.scoped_view import all_seen_by, seen_by
from holdfast.client.app import Holdfast
from holdfast.client.dead import letter_document, require_dead, require_sheet, triage
from holdfast.client.filters import letter_wire
from holdfast.client.read_id import read_id
from holdfast.client.replay import replay_named
from holdfast.db import dead, jobs
from holdfast.model.access_key import AccessAction
from holdfast.model.dead_letter import DeadLetter, LetterGroup, LetterPlace, LetterSheet, Triage
from holdfast.model.id import JobId
from holdfast.model.queue import ReplayResult

LONGEST_CANARY = 20  # seconds; a server that stops gives its requests 25
TRIAGE = Body(
    {
        "jobs": IDS,
        "status": {"type": "string", "enum": [str(one) for one in Triage]},
        "assignee": {
            "type": "string",
            "maxLength": 200,
            "description": "An empty text removes the assignee.",
        },
        "note": {"type": "string", "minLength": 1, "maxLength": 10_000},
        "reason": REASON,
    },
    ["jobs"],
    {"jobs": [ID], "status": "investigating", "assignee": "ada", "note": "the model server was down"},
)
REPLAY = Body(
    {
        "jobs": IDS,
        "canary": {
            "type": "number",
            "minimum": 0,
            "maximum": LONGEST_CANARY,
            "description": "Replay the first job alone, and the others if it completes within these seconds.",
        },
        "stage": STAGE,
        "reason": REASON,
    },
    ["jobs"],
    {"jobs": [ID], "canary": 15, "reason": "the server works again"},
)


class DeadLetterRoutes:
    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        letter = sample(DeadLetter, queue="mail", task="send_mail")
        sheet = sample(LetterSheet)
        whole = {**letter, **{name: sheet[name] for name in sheet if name != "letter"}}
        stopped = typed(str | None, f"The canary {ID} ended dead.")
        replayed = {"jobs": [{"id": ID, "result": ReplayResult.REPLAYED}], "stopped": stopped}
        listed = paged("letters", letter, f"{TIME},{ID}")
        grouped = paged("groups", sample(LetterGroup), "100")
        return router(
            "dead letters",
            Route("GET", "/dead", self.find, listed, filters=LETTER_FILTERS),
            Route("GET", "/dead/groups", self.groups, grouped, filters=LETTER_FILTERS),
            Route("GET", "/dead/{job_id}", self.show, whole),
            Route("POST", "/dead/triage", self.triage, {"changed": 1}, TRIAGE),
            Route("POST", "/dead/replay", self.replay, replayed, REPLAY),
        )

    async def find(self, request: Request, limit: Size = 100, cursor: Cursor = None) -> Response:
        """Dead letters that match, the newest first. A page may be empty and still have a `next`.

        A key for some queues or tasks must name one of them.
        """
        wanted = await self._wanted(request)
        found = await dead.find_letters(self._app.database, wanted, _place(cursor), limit)
        following = found.next and f"{found.next.died_at.isoformat()},{found.next.job}"
        return page("letters", all_seen_by(request.state.caller, found.items), following)

    async def groups(self, request: Request, limit: Size = 50, cursor: Cursor = None) -> Response:
        """Dead letters by error, the largest group first, with the trend of each.

        A key for some queues or tasks must name one of them.
        """
        wanted = await self._wanted(request)
        return await page_by_place(
            "groups", lambda most: dead.letter_groups(self._app.database, wanted, most), limit, cursor
        )

    async def show(self, request: Request, job_id: str) -> Response:
        """A dead letter with its payload, failed attempts and notes, also after a replay."""
        job = JobId(read_id(job_id))
        caller = await self._access.check(request, AccessAction.READ_JOB, jobs=[job])
        sheet = await require_sheet(self._app.database, job)
        return answer(letter_document(seen_by(caller, sheet)))

    async def triage(self, request: Request) -> Response:
        """Sets the status or the assignee of up to 100 dead letters, or adds a note; answers how many."""
        await self._access.check(request, AccessAction.OPERATE)
        given = await TRIAGE.read(request)
        chosen = read_jobs(given)
        caller = await self._access.check(request, AccessAction.OPERATE, jobs=chosen)
        async with self._access.changing(request, AccessAction.OPERATE, jobs=chosen) as conn:
            changed = await triage(
                conn,
                chosen,
                caller.name,
                status=Triage(given["status"]) if "status" in given else None,
                assignee=given.get("assignee"),
                note=given.get("note"),
                reason=given.get("reason"),
            )
        return answer({"changed": changed})

    async def replay(self, request: Request) -> Response:
        """Runs up to 100 dead jobs again. `stopped` says why the jobs after the canary were not replayed.

        The stage may be in another queue, which must be in the key's scope too.
        """
        await self._access.check(request, AccessAction.OPERATE)
        given = await REPLAY.read(request)
        chosen = read_jobs(given)
        caller = await self._access.check(request, AccessAction.OPERATE, jobs=chosen)
        await require_dead(self._app.database, chosen)

        async def once(ids: Sequence[JobId]) -> dict[JobId, ReplayResult]:
            """Those after the canary may have been replayed while it ran."""
            async with self._access.changing(request, AccessAction.OPERATE, jobs=ids) as conn:
                await require_dead(conn, ids)
                return await jobs.replay_jobs(conn, ids, given.get("reason"), caller.name, given.get("stage"))

        canary = timedelta(seconds=given["canary"]) if given.get("canary") else None
        done = await replay_named(self._app.database, chosen, once, canary)
        results = [{"id": job, "result": result} for job, result in done.results.items()]
        return answer({"jobs": results, "stopped": done.stopped})

    async def _wanted(self, request: Request) -> dict[str, Any]:
        given = LETTER_FILTERS.read(request)
        queues, tasks = ([given[name]] if name in given else None for name in ("queue", "task"))
        await self._access.check(request, AccessAction.LIST_JOBS, queues=queues, tasks=tasks)
        return await letter_wire(self._app.database, given)


def _place(cursor: str | None) -> LetterPlace | None:
    if cursor is None:
        return None
    moment, _, job = cursor.partition(",")
    try:
        return LetterPlace(datetime.fromisoformat(moment), JobId(read_id(job)))
    except ValueError:
        raise wrong_cursor() from None
