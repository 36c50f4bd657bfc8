"""Access keys over HTTP, for admins: list, create, rotate and revoke them."""

from typing import Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answer, answers
from holdfast.client.access_keys import create_key, rotate_key
from holdfast.client.app import Holdfast
from holdfast.client.job_documents import read_document
from holdfast.db.access_keys import list_access_keys, revoke_access_key
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.error import InvalidPayload

MOST_KEYS = 1000
_PROBLEMS = (401, 403, 404, 408, 409, 413, 422, 503)
_NEW = {"name": "ci", "role": "producer", "queues": ["mail"], "expires_in": "90d", "reason": "nightly import"}
_SECRET = {"name": "ci", "secret": "hfk_…", "until": None}
_KEY = {"name": "ci", "role": "producer", "queues": ["mail"], "tasks": None, "state": "valid", "secrets": 1}


class KeyManagement:
    """A secret is in the answer that made it, and nowhere else."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1/keys", dependencies=KEYED)
        found.get("", responses=answers({"keys": [_KEY]}, *_PROBLEMS))(self.find)
        made = answers(_SECRET, *_PROBLEMS, status=201)
        found.post("", status_code=201, responses=made, openapi_extra=_takes(_NEW))(self.create)
        # A name may hold a slash.
        rotation = _takes({"overlap": "1h", "reason": "monthly"})
        turned = answers({**_SECRET, "until": "2030-01-31T10:00:00Z"}, *_PROBLEMS)
        found.post("/{name:path}/rotate", responses=turned, openapi_extra=rotation)(self.rotate)
        revoked = answers({"name": "ci", "state": "revoked"}, *_PROBLEMS)
        found.post("/{name:path}/revoke", responses=revoked, openapi_extra=_takes({"reason": "leaked"}))(
            self.revoke
        )
        return found

    async def find(self, request: Request, all_states: bool = Query(False, alias="all")) -> Response:
        """The valid keys by name, up to 1,000; with `all` also those that have expired or were revoked."""
        await self._allowed(request)
        return answer({"keys": await list_access_keys(self._app.database, MOST_KEYS, all_states)})

    async def create(self, request: Request) -> Response:
        """Makes a key and shows its secret, once. `queues` and `tasks` limit it, `expires_in` ends it."""
        caller = await self._allowed(request)
        given = await _read(request, "name", "role", "queues", "tasks", "expires_in", "reason")
        made = await create_key(
            self._app.database,
            _text(given, "name") or "",
            _text(given, "role") or "",
            _names(given, "queues"),
            _names(given, "tasks"),
            given.get("expires_in"),
            _text(given, "reason"),
            caller.name,
        )
        return answer(made, 201)

    async def rotate(self, request: Request, name: str) -> Response:
        """Gives a key a new secret, shown once; the earlier one works for an hour more, or for `overlap`."""
        caller = await self._allowed(request)
        given = await _read(request, "overlap", "reason")
        overlap = given.get("overlap", "1h")
        return answer(
            await rotate_key(self._app.database, name, overlap, _text(given, "reason"), caller.name)
        )

    async def revoke(self, request: Request, name: str) -> Response:
        """Refuses all secrets of a key from now on."""
        caller = await self._allowed(request)
        given = await _read(request, "reason")
        await revoke_access_key(self._app.database, name, _text(given, "reason"), caller.name)
        return answer({"name": name, "state": "revoked"})

    async def _allowed(self, request: Request) -> Caller:
        return await self._access.check(request, AccessAction.MANAGE_KEYS)


async def _read(request: Request, *fields: str) -> dict[str, Any]:
    """The fields of the body that are not null; an empty body has none."""
    document = read_document(await request.body() or b"{}")
    unknown = sorted(document.keys() - {*fields})
    if unknown:
        raise InvalidPayload(f"There is no field {unknown[0]}.", f"the fields are {', '.join(fields)}", "$")
    return {name: value for name, value in document.items() if value is not None}


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidPayload(f"{name} must be a string.", path=f"$.{name}")
    return value


def _names(given: dict[str, Any], name: str) -> list[str] | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidPayload(f"{name} must be a list of strings.", path=f"$.{name}")
    return value


def _takes(example: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"example": example}}}}
