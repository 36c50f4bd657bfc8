"""The access key of a request, and whether the database allows it the action."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import Request

from holdfast.api.limits.rates import Rates
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access
from holdfast.db.statement import Executor
from holdfast.model.access_key import LONGEST_SECRET, AccessAction, Caller, SecretHash, hash_secret
from holdfast.model.error import NotAuthenticated

# For the OpenAPI document only: `Access.check` reads the header itself.
KEYED = [Depends(HTTPBearer(auto_error=False, description="The secret of an access key."))]


class Access:
    """The check that every route calls, before it does anything and, for jobs that it stores, afterwards."""

    def __init__(self, app: Holdfast, rates: Rates, without_keys: SecretHash | None = None) -> None:
        """`without_keys`: the key of requests that have none."""
        self._app, self._rates, self._without_keys = app, rates, without_keys

    async def check(
        self,
        request: Request,
        action: AccessAction,
        *,
        queues: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        jobs: Sequence[UUID] | None = None,
        runs: Sequence[UUID] | None = None,
        worker: UUID | None = None,
        on: Executor | None = None,
    ) -> Caller:
        """Raises NotAuthenticated or AccessDenied, and NotFound for a job or run outside of its scope, or
        a worker of another key.
        """
        database = on or self._app.database
        with self.counted(request) as hashed:
            caller = await check_access(database, hashed, action, queues, tasks, jobs, runs, worker)
        request.state.key_name, request.state.caller = caller.name, caller
        return caller

    @contextmanager
    def counted(self, request: Request) -> Iterator[SecretHash]:
        """The secret of a request, around the check of it: the request counts towards its rate."""
        hashed = self.secret_of(request)
        with self._rates.counted(request, hashed):
            yield hashed

    def secret_of(self, request: Request) -> SecretHash:
        if self._without_keys is not None and "authorization" not in request.headers:
            return self._without_keys
        return _secret_of(request)


def _secret_of(request: Request) -> SecretHash:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer" or not secret:
        raise NotAuthenticated("The request has no access key.", "send it as 'Authorization: Bearer SECRET'")
    if len(secret) > LONGEST_SECRET:
        raise NotAuthenticated("The access key is unknown, expired or revoked.")
    return hash_secret(secret)
