"""Whose access key a request carries, and whether the database lets it do this."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import Request

from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access
from holdfast.db.statement import Executor
from holdfast.model.access_key import LONGEST_SECRET, AccessAction, Caller, SecretHash, hash_secret
from holdfast.model.error import NotAuthenticated

# For the OpenAPI document only: `Access.check` reads the header itself.
KEYED = [Depends(HTTPBearer(auto_error=False, description="The secret of an access key."))]


class Access:
    """The check that every route calls, before it does anything and, for jobs that it stores, afterwards."""

    def __init__(self, app: Holdfast) -> None:
        self._app = app

    async def check(
        self,
        request: Request,
        action: AccessAction,
        *,
        queues: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        jobs: Sequence[UUID] | None = None,
        on: Executor | None = None,
    ) -> Caller:
        """Raises NotAuthenticated or AccessDenied, and NotFound for a job outside of the key's scope."""
        hashed = secret_of(request)
        caller = await check_access(on or self._app.database, hashed, action, queues, tasks, jobs)
        request.state.key_name = caller.name
        return caller


def secret_of(request: Request) -> SecretHash:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer" or not secret:
        raise NotAuthenticated("The request has no access key.", "send it as 'Authorization: Bearer SECRET'")
    if len(secret) > LONGEST_SECRET:
        raise NotAuthenticated("The access key is unknown, expired or revoked.")
    return hash_secret(secret)
