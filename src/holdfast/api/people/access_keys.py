"""Access keys over HTTP, for admins: list, create, rotate and revoke them."""

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import MAYBE_WORDS, VALUE, Body, or_null
from holdfast.api.request.routes import Route, router
from holdfast.api.request.sample import sample
from holdfast.client.access_keys import create_key, rotate_key
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import list_access_keys, revoke_access_key
from holdfast.model.access_key import AccessAction, AccessKey, AccessKeyState, Caller, NewSecret

MOST_KEYS = 1000
_SECRET = sample(NewSecret, name="ci", secret="hfk_…")
_KEY = sample(AccessKey, name="ci", role="producer", queues=["mail"], tasks=["send_mail"])
_SCOPE = or_null({"type": "array", "items": {"type": "string"}})
REASON = {"reason": MAYBE_WORDS}
CREATE = Body(
    {
        "name": MAYBE_WORDS,
        "role": MAYBE_WORDS,
        "queues": _SCOPE,
        "tasks": _SCOPE,
        "expires_in": VALUE,
        **REASON,
    },
    example={
        "name": "ci",
        "role": "producer",
        "queues": ["mail"],
        "expires_in": "90d",
        "reason": "nightly import",
    },
)
ROTATE = Body({"overlap": VALUE, **REASON}, example={"overlap": "1h", "reason": "monthly"})
REVOKE = Body(REASON, example={"reason": "leaked"})


class KeyManagement:
    """A secret is in the answer that made it, and nowhere else."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        revoked = {"name": "ci", "state": AccessKeyState.REVOKED}
        return router(
            "keys",
            Route("GET", "/keys", self.find, {"keys": [_KEY]}),
            Route("POST", "/keys", self.create, _SECRET, CREATE, status=201),
            # A name may hold a slash.
            Route("POST", "/keys/{name:path}/rotate", self.rotate, _SECRET, ROTATE),
            Route("POST", "/keys/{name:path}/revoke", self.revoke, revoked, REVOKE),
        )

    async def find(self, request: Request, all_states: bool = Query(False, alias="all")) -> Response:
        """The valid keys by name, up to 1,000; with `all` also those that have expired or were revoked."""
        await self._allowed(request)
        return answer({"keys": await list_access_keys(self._app.database, MOST_KEYS, all_states)})

    async def create(self, request: Request) -> Response:
        """Makes a key and shows its secret, once. `queues` and `tasks` limit it, `expires_in` ends it."""
        caller = await self._allowed(request)
        given = await CREATE.read(request)
        made = await create_key(
            self._app.database,
            given.get("name") or "",
            given.get("role") or "",
            given.get("queues"),
            given.get("tasks"),
            given.get("expires_in"),
            given.get("reason"),
            caller.name,
        )
        return answer(made, 201)

    async def rotate(self, request: Request, name: str) -> Response:
        """Gives a key a new secret, shown once; the earlier one works for an hour more, or for `overlap`."""
        caller = await self._allowed(request)
        given = await ROTATE.read(request)
        overlap = "1h" if given.get("overlap") is None else given["overlap"]
        return answer(await rotate_key(self._app.database, name, overlap, given.get("reason"), caller.name))

    async def revoke(self, request: Request, name: str) -> Response:
        """Refuses all secrets of a key from now on."""
        caller = await self._allowed(request)
        given = await REVOKE.read(request)
        await revoke_access_key(self._app.database, name, given.get("reason"), caller.name)
        return answer({"name": name, "state": AccessKeyState.REVOKED})

    async def _allowed(self, request: Request) -> Caller:
        return await self._access.check(request, AccessAction.MANAGE_KEYS)
