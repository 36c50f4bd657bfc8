"""The calls by Python's database layer."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from holdfast.db import jobs, pipelines
from holdfast.db import worker as verbs
from holdfast.db.connect import Database
from holdfast.model.error import LeaseLost, UniqueConflict
from holdfast.model.id import JobId, Token, WorkerId
from holdfast.model.outcome import Waiting, end_of
from holdfast.model.payload import JsonText, encode
from tests.api.ways_in import PARKED, WHY, Answer, Ending, Family, Held, Way


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

    async def enqueue(self, payload: Any, unique_key: str | None = None) -> tuple[UUID, bool] | None:
        options = (
            {"queue": self.queue} if unique_key is None else {"queue": self.queue, "unique_key": unique_key}
        )
        try:
            (made,) = await jobs.enqueue_jobs(self._db, ["task"], [encode(payload)], options)
        except UniqueConflict:
            return None
        return made.id, made.created

    async def spawn(self, job: Held, name: str, payloads: Sequence[Any]) -> Family | None:
        texts, mine = [encode(one) for one in payloads], {"queue": self.queue}
        try:
            run, is_over = await pipelines.spawn_children(
                self._db, JobId(job.id), Token(job.token), name, ["task"], texts, mine, "all", "fail"
            )
        except LeaseLost:
            return None
        found = await pipelines.load_children(self._db, run)
        return Family(is_over, [(str(child.state), child.output) for child in found])

    async def park(self, job: Held, kind: str, name: str) -> Answer | None:
        if kind == "signal":
            try:
                told = await pipelines.await_signal(self._db, JobId(job.id), Token(job.token), name)
            except LeaseLost:
                return None
            if told.came or told.timed_out:
                return Answer(told.came, told.data, told.timed_out)
        parked = await self.end(job, Ending(Waiting(f"{kind}:{name}"), "wait", {}))
        return PARKED if parked else None

    async def signal(self, job: UUID, name: str, data: Any) -> str:
        return await pipelines.signal(self._db, JobId(job), name, encode(data), "me")

    async def operate(self, verb: str, job: UUID) -> str:
        if verb == "cancel":
            return str((await jobs.cancel_jobs(self._db, [JobId(job)], WHY, "me"))[JobId(job)])
        return str((await jobs.replay_jobs(self._db, [JobId(job)], WHY, "me"))[JobId(job)])
