"""What operators do with jobs that they name: cancel, replay, replace, reclaim, set a priority, signal."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import IDS, NEEDED_REASON, REASON, TEXT, VALUE, Body, Schema, read_jobs
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import ID
from holdfast.client.app import Holdfast
from holdfast.client.job_actions import JobSelection, act, require_changed
from holdfast.client.read_id import read_id
from holdfast.db import dead, jobs, operator, pipelines
from holdfast.db.statement import Executor
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.id import JobId
from holdfast.model.operator_action import OperatorResult
from holdfast.model.payload import encode
from holdfast.model.pipeline import SignalResult
from holdfast.model.queue import CancelResult, ReplayResult

Fields = dict[str, Any]
Results = Mapping[JobId, StrEnum]
STAGE: Schema = {**TEXT, "type": ["string", "null"], "description": "Of a pipeline; else where it ended."}
PRIORITY: Schema = {"type": "integer", "minimum": 0, "maximum": 100}
REPLACE = Body(
    {"payload": VALUE, "reason": REASON},
    ["payload"],
    {"payload": {"to": "ada@example.org"}, "reason": "the address was wrong"},
)
SIGNAL = Body(
    {"jobs": IDS, "name": TEXT, "data": VALUE},
    ["jobs", "name"],
    {"jobs": [ID], "name": "approved", "data": {"by": "ada"}},
)


@dataclass(frozen=True, slots=True)
class JobAction:
    """`run` gets the jobs, the fields of the body and the actor; `says` has a gap for what it acts on."""

    word: str
    says: str
    fields: Mapping[str, Schema]
    example: Fields
    result: StrEnum
    run: Callable[[Executor, Sequence[JobId], Fields, str], Awaitable[Results]]

    def bodies(self) -> tuple[Body, Body]:
        """For one job, and for several; a reason that may be null may also be absent."""
        required = [name for name, schema in self.fields.items() if "null" not in schema["type"]]
        several = Body({"jobs": IDS, **self.fields}, ["jobs", *required], {"jobs": [ID], **self.example})
        return Body(self.fields, required, self.example), several


ACTIONS = (
    JobAction(
        "cancel",
        "Cancels {}. Running handlers are asked to stop: `asked`.",
        {"reason": REASON},
        {"reason": "wrong list"},
        CancelResult.CANCELLED,
        lambda on, ids, given, actor: jobs.cancel_jobs(on, ids, given.get("reason"), actor),
    ),
    JobAction(
        "replay",
        "Runs {} again under the same id, if ended.",
        {"stage": STAGE, "reason": REASON},
        {"reason": "the server works again"},
        ReplayResult.REPLAYED,
        lambda on, ids, given, actor: jobs.replay_jobs(
            on, ids, given.get("reason"), actor, given.get("stage")
        ),
    ),
    JobAction(
        "reclaim",
        "Takes {} from the worker and makes it ready again; later writes of the worker are refused.",
        {"reason": NEEDED_REASON},
        {"reason": "the handler hangs"},
        OperatorResult.RECLAIMED,
        lambda on, ids, given, actor: operator.reclaim(on, ids, given["reason"], actor),
    ),
    JobAction(
        "priority",
        "Sets the priority of {}, from 0 to 100.",
        {"priority": PRIORITY, "reason": NEEDED_REASON},
        {"priority": 90, "reason": "a customer waits"},
        OperatorResult.SET,
        lambda on, ids, given, actor: operator.set_priority(
            on, ids, given["priority"], given["reason"], actor
        ),
    ),
)


class OperateJobs:
    """An action on one job is answered with its result, or with a problem if the job was not changed; one on
    up to 100 jobs with the result of each.
    """

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        results = {"jobs": [{"id": ID, "result": SignalResult.RESUMED}]}
        return router(
            "jobs",
            *(route for action in ACTIONS for route in self._pair(action)),
            Route(
                "POST",
                "/jobs/{job_id}/replace",
                self.replace,
                {"job": ID, "replaced_by": ID},
                REPLACE,
                status=201,
            ),
            Route("POST", "/jobs/signals", self.signal, results, SIGNAL),
        )

    async def replace(self, request: Request, job_id: str) -> Response:
        """Enqueues a job with another payload in place of a dead one; payloads never change."""
        job = JobId(read_id(job_id))
        caller = await self._access.check(request, AccessAction.OPERATE, jobs=[job])
        given = await REPLACE.read(request)
        text = encode(given["payload"])
        both = [job]
        async with self._access.changing(request, AccessAction.OPERATE, jobs=both) as conn:
            new = await dead.replace_job(conn, job, text, given.get("reason"), caller.name)
            both.append(new)
        return answer({"job": job, "replaced_by": new}, 201)

    async def signal(self, request: Request) -> Response:
        """Delivers data to up to 100 jobs: `resumed`, `kept` for a later wait, `duplicate` or `ended`."""
        await self._access.check(request, AccessAction.OPERATE)
        given = await SIGNAL.read(request)
        chosen, data = read_jobs(given), encode(given.get("data"))
        caller = await self._access.check(request, AccessAction.OPERATE, jobs=chosen)
        async with self._access.changing(request, AccessAction.OPERATE, jobs=chosen) as conn:
            said = [await pipelines.signal(conn, job, given["name"], data, caller.name) for job in chosen]
        results = [{"id": job, "result": result} for job, result in zip(chosen, said, strict=True)]
        return answer({"jobs": results})

    def _pair(self, action: JobAction) -> tuple[Route, Route]:
        single, several = action.bodies()

        async def one(request: Request, job_id: str) -> Response:
            job = JobId(read_id(job_id))
            caller = await self._access.check(request, AccessAction.OPERATE, jobs=[job])
            results = await self._act(request, caller, action, [job], await single.read(request))
            require_changed(results)
            return answer({"id": job, "result": results[job]})

        async def many(request: Request) -> Response:
            await self._access.check(request, AccessAction.OPERATE)
            given = await several.read(request)
            chosen = read_jobs(given)
            caller = await self._access.check(request, AccessAction.OPERATE, jobs=chosen)
            results = await self._act(request, caller, action, chosen, given)
            return answer({"jobs": [{"id": job, "result": result} for job, result in results.items()]})

        one.__name__, many.__name__ = f"{action.word}_job", f"{action.word}_jobs"
        done = {"id": ID, "result": action.result}
        path, words = "/jobs/{job_id}/" + action.word, action.says
        return (
            Route("POST", path, one, done, single, says=words.format("a job")),
            Route(
                "POST",
                f"/jobs/{action.word}",
                many,
                {"jobs": [done]},
                several,
                says=words.format("each of up to 100 jobs"),
            ),
        )

    async def _act(
        self, request: Request, caller: Caller, action: JobAction, chosen: list[JobId], given: Fields
    ) -> Results:
        """A job that is replayed at a stage may change its queue, which must be in the key's scope too."""

        async def once(ids: Sequence[JobId]) -> Results:
            async with self._access.changing(request, AccessAction.OPERATE, jobs=ids) as conn:
                return await action.run(conn, ids, given, caller.name)

        return await act(self._app.database, JobSelection(tuple(chosen)), once)
