"""The calls as SQL."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from holdfast.db.connect import Database
from holdfast.model.error import LeaseLost, UniqueConflict
from holdfast.model.outcome import end_of
from tests.api.ways_in import PARKED, WHY, Answer, Ending, Family, Held, Way

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

    async def enqueue(self, payload: Any, unique_key: str | None = None) -> tuple[UUID, bool] | None:
        options = (
            {"queue": self.queue} if unique_key is None else {"queue": self.queue, "unique_key": unique_key}
        )
        call = "enqueue_jobs(array['task'], array[$1::json], $2::jsonb)"
        try:
            (row,) = await self._call(call, json.dumps(payload), json.dumps(options))
        except UniqueConflict:
            return None
        return row["job_id"], row["created"]

    async def spawn(self, job: Held, name: str, payloads: Sequence[Any]) -> Family | None:
        texts, options = [json.dumps(one) for one in payloads], json.dumps({"queue": self.queue})
        call = "spawn_children($1, $2, $3, array['task'], $4::json[], $5::jsonb)"
        try:
            (made,) = await self._call(call, job.id, job.token, name, texts, options)
        except LeaseLost:
            return None
        rows = await self._call("load_children($1)", made["run"])
        children = [(row["state"], row["output"] and json.loads(row["output"])) for row in rows]
        return Family(made["is_over"], children)

    async def park(self, job: Held, kind: str, name: str) -> Answer | None:
        if kind == "signal":
            try:
                (asked,) = await self._call("await_signal($1, $2, $3)", job.id, job.token, name)
            except LeaseLost:
                return None
            if asked["came"] or asked["timed_out"]:
                return Answer(asked["came"], asked["data"] and json.loads(asked["data"]), asked["timed_out"])
        detail = [json.dumps({"for": f"{kind}:{name}"})]
        lost = await self._call("wait_jobs($1, $2, $3::jsonb[])", [job.id], [job.token], detail)
        return None if lost else PARKED

    async def signal(self, job: UUID, name: str, data: Any) -> str:
        return str((await self._call("signal($1, $2, $3::json, 'me')", job, name, json.dumps(data)))[0][0])

    async def operate(self, verb: str, job: UUID) -> str:
        (row,) = await self._call(f"{verb}_jobs(array[$1::uuid], $2, 'me')", job, WHY)
        return str(row["result"])

    async def _call(self, call: str, *args: Any) -> list[Any]:
        return await self._db.fetch(f"select * from holdfast.{call}", *args)
