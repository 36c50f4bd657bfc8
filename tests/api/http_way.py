"""The calls over HTTP."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from httpx2 import AsyncClient

from tests.api.conftest import Headers
from tests.api.http_worker import HttpWorker
from tests.api.ways_in import WHY, Answer, Ending, Family, Held, Way


class HttpWay(Way):
    """With a key of its own for each role."""

    def __init__(self, http: AsyncClient, worker: Headers, producer: Headers, operator: Headers) -> None:
        self.queue, self._worker = "http", HttpWorker(http, worker)
        self._producer, self._operator = HttpWorker(http, producer), HttpWorker(http, operator)

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

    async def enqueue(self, payload: Any, unique_key: str | None = None) -> tuple[UUID, bool] | None:
        said = await self._producer.post(
            "/jobs", task="task", payload=payload, queue=self.queue, unique_key=unique_key
        )
        if said.status_code == 409:
            assert said.json()["code"] == "unique_conflict", said.text
            return None
        made = said.json()
        assert said.status_code == (201 if made["created"] else 200), said.text
        return UUID(made["id"]), made["created"]

    async def spawn(self, job: Held, name: str, payloads: Sequence[Any]) -> Family | None:
        children = [{"task": "task", "payload": one} for one in payloads]
        said = await self._of(job, "children", name=name, jobs=children, options={"queue": self.queue})
        return said and Family(said["is_over"], [(one["state"], one["output"]) for one in said["children"]])

    async def park(self, job: Held, kind: str, name: str) -> Answer | None:
        said = await self._of(job, "wait", **{kind: name})
        return said and Answer(said["came"], said["data"], said["timed_out"])

    async def signal(self, job: UUID, name: str, data: Any) -> str:
        return str((await self._producer.say(f"/jobs/{job}/signals", name=name, data=data))["result"])

    async def operate(self, verb: str, job: UUID) -> str:
        (said,) = (await self._operator.say(f"/jobs/{verb}", jobs=[str(job)], reason=WHY))["jobs"]
        return str(said["result"])

    async def _of(self, job: Held, route: str, **fields: Any) -> Any:
        return await self._unless_lost(f"/jobs/{job.id}/{route}", token=str(job.token), **fields)

    async def _unless_lost(self, path: str, **body: Any) -> Any:
        answered = await self._worker.post(path, **body)
        if answered.status_code == 409:
            assert answered.json()["code"] == "lease_lost", answered.text
            return None
        assert answered.status_code == 200, answered.text
        return answered.json()
