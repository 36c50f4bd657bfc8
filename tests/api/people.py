"""A person or a dashboard that calls the API, and what the audit trail says of it."""

from typing import Any
from uuid import UUID

from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from tests.builders import ready_jobs
from tests.patience import PATIENCE

API = "/api/v1"
WHY = "because of a test"


class Caller:
    """Calls with one key; every write must succeed unless a status is expected."""

    def __init__(self, http: AsyncClient, key: dict[str, str]) -> None:
        self._http, self._key = http, key

    async def get(self, path: str, expected: int = 200, **query: Any) -> Any:
        return self._judged(await self._http.get(f"{API}{path}", params=query, headers=self._key), expected)

    async def send(self, method: str, path: str, body: Any = None, status: int = 200, **query: Any) -> Any:
        return self._judged(
            await self._http.request(
                method, f"{API}{path}", json=body, params=query, headers=self._key, timeout=PATIENCE
            ),
            status,
        )

    def _judged(self, answered: Response, status: int) -> Any:
        assert answered.status_code == status, answered.text
        return answered.json()


async def last_event(app: Holdfast, cause: str) -> tuple[str | None, str | None]:
    """Its actor and reason."""
    event = (await app.audit.find(1, cause=cause))[0]
    return event.actor, event.reason


async def jobs_in(app: Holdfast, count: int, **options: Any) -> list[UUID]:
    async with app.database.transaction() as conn:
        return await ready_jobs(conn, count, **options)
