"""A worker that speaks only HTTP, for tests."""

from typing import Any

from httpx2 import AsyncClient, Response

from tests.api.conftest import Headers

API = "/api/v1"
Job = dict[str, Any]


class HttpWorker:
    def __init__(self, http: AsyncClient, key: Headers) -> None:
        self._http, self._key = http, key
        self.id = ""

    async def post(self, path: str, **body: Any) -> Response:
        return await self._http.post(f"{API}{path}", json=body, headers=self._key)

    async def say(self, path: str, **body: Any) -> Any:
        answered = await self.post(path, **body)
        assert answered.status_code in (200, 201), answered.text
        return answered.json()

    async def register(self, **wishes: Any) -> Any:
        registered = await self.say("/workers", **wishes)
        self.id = registered["worker"]
        return registered

    async def claim(self, limit: int = 1, **wishes: Any) -> list[Job]:
        jobs: list[Job] = (await self.turn(limit, **wishes))["jobs"]
        return jobs

    async def turn(self, limit: int = 1, **wishes: Any) -> Any:
        return await self.say(f"/workers/{self.id}/claim", limit=limit, **wishes)

    async def renew(self, **jobs: Any) -> Any:
        return await self.say(f"/workers/{self.id}/renew", **jobs)

    async def end(self, job: Job, verb: str, **fields: Any) -> Any:
        return await self.say(f"/jobs/{job['id']}/{verb}", token=job["token"], **fields)

    async def refused(self, path: str, **body: Any) -> tuple[int, str]:
        answered = await self.post(path, **body)
        return answered.status_code, answered.json()["code"]
