"""The API and its callers over HTTP: the same model, the same database, another way in."""

from typing import Any, ClassVar, Self
from uuid import UUID

from httpx2 import ASGITransport, AsyncClient, Response
from hypothesis import note

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.api.documented import HOOKS
from tests.machine.base import Base

ROLES = ("producer", "worker", "operator")


class HttpWay:
    """The API in this process, and an access key for each role."""

    def __init__(self, app: Holdfast, http: AsyncClient, secrets: dict[str, str], worker: UUID) -> None:
        self._app, self._http, self._secrets, self.worker = app, http, secrets, worker

    @classmethod
    async def open(cls, url: str) -> Self:
        app = Holdfast(url)
        secrets = {role: (await app.keys.create(role, role)).secret for role in ROLES}
        (worker,) = [key.id for key in await app.keys.list() if key.name == "worker"]
        transport = ASGITransport(app=api_app(app))
        http = AsyncClient(transport=transport, base_url="http://api/api/v1", event_hooks=HOOKS)
        return cls(app, http, secrets, worker)

    async def send(self, role: str, method: str, path: str, **body: Any) -> Response:
        headers = {"Authorization": f"Bearer {self._secrets[role]}"}
        return await self._http.request(method, path, headers=headers, **body)

    async def close(self) -> None:
        await self._http.aclose()
        await self._app.close()


class OverHttp(Base):
    way: ClassVar[HttpWay]

    def more_info(self) -> dict[str, str]:
        return {"access_key": str(self.way.worker)}

    def send_as(self, role: str, method: str, path: str, **body: Any) -> Response:
        answered = self.session.run(self.way.send(role, method, path, **body))
        note(f"{method} {path} {body} -> {answered.status_code} {answered.text[:200]}")
        return answered
