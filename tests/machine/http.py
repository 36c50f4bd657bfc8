"""The rules of workers, sent over HTTP: the same model, the same database, another way in."""

from typing import Any, ClassVar, Self
from uuid import UUID

from httpx2 import ASGITransport, AsyncClient, Response
from hypothesis import note

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.api.documented import HOOKS
from tests.machine.ends import Advance, Complete, End, Fail, Snooze
from tests.machine.parts import Worker
from tests.machine.working import Claim, Rows, Working


class HttpWay:
    """The API in this process, and an access key for all."""

    def __init__(self, app: Holdfast, http: AsyncClient, key: UUID) -> None:
        self._app, self._http, self.key = app, http, key

    @classmethod
    async def open(cls, url: str) -> Self:
        app = Holdfast(url)
        made = await app.keys.create("machine", "worker")
        (key,) = await app.keys.list()
        headers = {"Authorization": f"Bearer {made.secret}"}
        transport = ASGITransport(app=api_app(app))
        http = AsyncClient(
            transport=transport, base_url="http://api/api/v1", headers=headers, event_hooks=HOOKS
        )
        return cls(app, http, key.id)

    async def post(self, path: str, body: dict[str, Any]) -> Response:
        return await self._http.post(path, json=body)

    async def close(self) -> None:
        await self._http.aclose()
        await self._app.close()


class HttpWorking(Working):
    way: ClassVar[HttpWay]

    def more_info(self) -> dict[str, str]:
        return {"access_key": str(self.way.key)}

    def post(self, path: str, **body: Any) -> tuple[bool, Any]:
        """Whether it was done, or refused as lost."""
        answered = self.session.run(self.way.post(path, body))
        note(f"POST {path} {body} -> {answered.status_code} {answered.text[:200]}")
        is_done = answered.status_code == 200
        assert is_done or (answered.status_code, answered.json()["code"]) == (409, "lease_lost")
        return is_done, answered.json()

    def send_renewal(self, worker: Worker) -> tuple[bool, bool]:
        is_known, said = self.post(f"/workers/{worker.id}/renew")
        return is_known, is_known and said["rescued"]

    def send_stop(self, worker: Worker) -> int:
        _, said = self.post(f"/workers/{worker.id}/stop")
        return int(said["released"])

    def send_claim(self, worker: Worker, wanted: int) -> list[Claim]:
        is_done, said = self.post(f"/workers/{worker.id}/claim", limit=wanted)
        assert is_done
        return [(UUID(job["id"]), UUID(job["token"])) for job in said["jobs"]]

    def send_claim_without_lease(self, worker: Worker, wanted: int) -> None:
        is_done, _ = self.post(f"/workers/{worker.id}/claim", limit=wanted)
        assert not is_done

    def settle_with(
        self, claims: list[Claim], ends: list[End], worker: Worker, wanted: int, done: int | None = None
    ) -> Rows:
        """The rows that settle_and_claim would return."""
        report = {} if done is None else {"progress": {"done": done}}
        sent = [
            {"id": str(id_), "token": str(token), **fields_of(end), **report}
            for (id_, token), end in zip(claims, ends, strict=True)
        ]
        _, said = self.post(f"/workers/{worker.id}/claim", limit=wanted, ends=sent)
        tokens = dict(claims)
        # What was said before with the same token is answered apart; it changes nothing either.
        refused = (*said["lost"], *said["repeated"])
        lost = [{"kind": "lost", "job_id": UUID(id_), "token": tokens[UUID(id_)]} for id_ in refused]
        jobs = [
            {"kind": "job", "job_id": UUID(job["id"]), "token": UUID(job["token"])} for job in said["jobs"]
        ]
        notes = ["lapsed"] * said["lapsed"] or ["next"] * (len(jobs) < wanted)
        return [*lost, *jobs, *({"kind": kind} for kind in notes)]

    def send_checkpoint(self, job: UUID, token: UUID | None, name: str) -> bool:
        return self.post(f"/jobs/{job}/checkpoint", token=str(token), name=name, value=1)[0]

    def send_report(self, job: UUID, token: UUID | None, done: int) -> bool:
        return self.post(f"/jobs/{job}/progress", token=str(token), done=done)[0]


def fields_of(end: End) -> dict[str, Any]:
    """The end as the routes take it."""
    match end:
        case Complete():
            return {"verb": "complete", "output": 1, "units": 2}
        case Advance():
            delay = {} if end.delay is None else {"delay": end.delay}
            return {"verb": "complete", "output": 1, "next": {"stage": "next", "queue": end.queue, **delay}}
        case Fail():
            later = {} if end.retry_after is None else {"retry_after": end.retry_after}
            error = {"class": end.class_, "type": "Boom", "message": "it broke"}
            return {"verb": "fail", "error": error, **later}
        case Snooze():
            return {"verb": "snooze", **end.detail()}
        case _:
            return {"verb": end.verb, **end.detail()}
