"""The same calls of a worker in three ways: SQL, Python's database layer, and HTTP."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from httpx2 import AsyncClient

from holdfast.db import worker as verbs
from holdfast.db.connect import Database
from holdfast.model.error import LeaseLost
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.outcome import Outcome, end_of
from holdfast.model.payload import JsonText
from tests.api.conftest import Headers
from tests.api.http_worker import HttpWorker

# The verb of SQL for one end, with arrays of one element.
ENDS = {
    "complete": "complete_jobs($1, $2, $3::json[], $4::jsonb[])",
    "fail": "fail_jobs($1, $2, $4::jsonb[])",
    "snooze": "snooze_jobs($1, $2, $4::jsonb[])",
    "release": "release_jobs($1, $2, $4::jsonb[])",
    "reject": "reject_jobs($1, $2, $4::jsonb[], $3::json[])",
    "wait": "wait_jobs($1, $2, $4::jsonb[])",
    "advance": "advance_jobs($1, $2, $3::json[], $4::jsonb[])",
}


@dataclass(frozen=True, slots=True)
class Held:
    id: UUID
    token: UUID
    payload: Any


@dataclass(frozen=True, slots=True)
class Ending:
    """An end as Python says it and as HTTP says it."""

    outcome: Outcome
    route: str
    fields: Mapping[str, Any]


class Way(ABC):
    """A worker of one queue. Each method returns what the caller learns, in the same words for all."""

    queue: str

    @abstractmethod
    async def register(self, lease: float = 60) -> None: ...

    @abstractmethod
    async def claim(self, n: int = 1) -> list[Held] | None:
        """None: the worker has no lease."""

    @abstractmethod
    async def end(self, job: Held, ending: Ending) -> bool:
        """False: the token is outdated."""

    @abstractmethod
    async def save(self, job: Held, name: str, value: Any) -> bool: ...

    @abstractmethod
    async def report(self, job: Held, done: int) -> bool: ...

    @abstractmethod
    async def renew(self) -> bool:
        """False: the worker has stopped."""

    @abstractmethod
    async def stop(self) -> int:
        """How many jobs it gave back."""


class SqlWay(Way):
    def __init__(self, database: Database) -> None:
        self.queue, self._db, self._me = "sql", database, uuid4()

    async def register(self, lease: float = 60) -> None:
        await self._call(
            "register_worker($1, $2, $3::jsonb)", self._me, [self.queue], f'{{"lease": {lease}}}'
        )

    async def claim(self, n: int = 1) -> list[Held] | None:
        try:
            rows = await self._call("claim_jobs($1, $2)", self._me, n)
        except LeaseLost:
            return None
        return [Held(row["job_id"], row["token"], json.loads(row["payload"])) for row in rows]

    async def end(self, job: Held, ending: Ending) -> bool:
        verb, output, detail = end_of(ending.outcome)
        call = ENDS[verb].replace("$4", "$3") if "$3" not in ENDS[verb] else ENDS[verb]
        given = [[output], [detail]] if "$4" in call else [[detail]]
        return not await self._call(call, [job.id], [job.token], *given)

    async def save(self, job: Held, name: str, value: Any) -> bool:
        rows = await self._call("save_checkpoint($1, $2, $3, $4)", job.id, job.token, name, json.dumps(value))
        return bool(rows[0][0])

    async def report(self, job: Held, done: int) -> bool:
        call = "report_progress($1, $2, $3::jsonb[])"
        return not await self._call(call, [job.id], [job.token], [f'{{"done": {done}}}'])

    async def renew(self) -> bool:
        return bool((await self._call("renew_lease($1)", self._me))[0]["known"])

    async def stop(self) -> int:
        return int((await self._call("stop_worker($1)", self._me))[0][0])

    async def _call(self, call: str, *args: Any) -> list[Any]:
        return await self._db.fetch(f"select * from holdfast.{call}", *args)


class PythonWay(Way):
    def __init__(self, database: Database) -> None:
        self.queue, self._db, self._me = "python", database, WorkerId(uuid4())

    async def register(self, lease: float = 60) -> None:
        await verbs.register_worker(self._db, self._me, [self.queue], {"lease": lease})

    async def claim(self, n: int = 1) -> list[Held] | None:
        found = await verbs.settle_and_claim(self._db, self._me, n, [], [], [])
        return None if found.lapsed else [Held(one.id, one.token, one.payload) for one in found.claimed]

    async def end(self, job: Held, ending: Ending) -> bool:
        ids, tokens = [JobId(job.id)], [Token(job.token)]
        found = await verbs.settle_and_claim(self._db, self._me, 0, ids, tokens, [end_of(ending.outcome)])
        return not found.lost

    async def save(self, job: Held, name: str, value: Any) -> bool:
        data = JsonText(json.dumps(value))
        return await verbs.save_checkpoint(self._db, JobId(job.id), Token(job.token), name, data)

    async def report(self, job: Held, done: int) -> bool:
        said = [JsonText(f'{{"done": {done}}}')]
        return not await verbs.report_progress(self._db, [JobId(job.id)], [Token(job.token)], said)

    async def renew(self) -> bool:
        return (await verbs.renew_lease(self._db, self._me)).known

    async def stop(self) -> int:
        return await verbs.stop_worker(self._db, self._me)


class HttpWay(Way):
    def __init__(self, http: AsyncClient, key: Headers) -> None:
        self.queue, self._worker = "http", HttpWorker(http, key)

    async def register(self, lease: float = 60) -> None:
        await self._worker.register(queues=[self.queue], lease=lease)

    async def claim(self, n: int = 1) -> list[Held] | None:
        found = await self._unless_lost(f"/workers/{self._worker.id}/claim", limit=n)
        return found and [Held(UUID(job["id"]), UUID(job["token"]), job["payload"]) for job in found["jobs"]]

    async def end(self, job: Held, ending: Ending) -> bool:
        ended = await self._of(job, ending.route, **ending.fields)
        return ended is not None and not ended.get("repeated")

    async def save(self, job: Held, name: str, value: Any) -> bool:
        return await self._of(job, "checkpoint", name=name, value=value) is not None

    async def report(self, job: Held, done: int) -> bool:
        return await self._of(job, "progress", done=done) is not None

    async def renew(self) -> bool:
        return await self._unless_lost(f"/workers/{self._worker.id}/renew") is not None

    async def stop(self) -> int:
        return int((await self._worker.say(f"/workers/{self._worker.id}/stop"))["released"])

    async def _of(self, job: Held, route: str, **fields: Any) -> Any:
        return await self._unless_lost(f"/jobs/{job.id}/{route}", token=str(job.token), **fields)

    async def _unless_lost(self, path: str, **body: Any) -> Any:
        answered = await self._worker.post(path, **body)
        if answered.status_code == 409:
            assert answered.json()["code"] == "lease_lost", answered.text
            return None
        assert answered.status_code == 200, answered.text
        return answered.json()
