"""The access key or session of a request, whether the database allows it the action, and log-ins."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any
from uuid import UUID

from fastapi import Depends
from fastapi.security import HTTPBearer
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.limits.key_connections import KeyConnections
from holdfast.api.limits.rates import Rates
from holdfast.api.request.session_cookie import check_form, delete_session, session_secret, set_session
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access, close_session, open_session
from holdfast.db.actions import check_action_access
from holdfast.db.statement import Executor
from holdfast.model.access_key import (
    LONGEST_SECRET,
    SESSION_PREFIX,
    AccessAction,
    Caller,
    SecretHash,
    Session,
    hash_secret,
    new_secret,
)
from holdfast.model.error import NotAuthenticated
from holdfast.model.id import JobId

# For the OpenAPI document only: `Access.check` reads the header itself.
KEYED = [Depends(HTTPBearer(auto_error=False, description="The secret of an access key."))]
SESSION_LASTS = timedelta(hours=12)
MOST_CALLERS = 10_000  # that are remembered


@dataclass(frozen=True, slots=True)
class LastCheck:
    """Of a request: when it began, and how to repeat it."""

    at: float
    again: Callable[[], Awaitable[Caller]]


class Access:
    """The check that every route calls, before it does anything and, for jobs that it stores, afterwards."""

    def __init__(
        self,
        app: Holdfast,
        rates: Rates,
        connections: KeyConnections,
        without_keys: SecretHash | None = None,
        has_sessions: bool = True,
    ) -> None:
        """`without_keys`: the key of requests that have none. `has_sessions`: whether it accepts cookies."""
        self._app, self._rates, self._connections = app, rates, connections
        self._without_keys, self._has_sessions = without_keys, has_sessions
        self._callers: OrderedDict[SecretHash, Caller] = OrderedDict()

    def without_sessions(self) -> "Access":
        """For routes whose requests a page of another origin could send: they accept no cookie."""
        return Access(self._app, self._rates, self._connections, self._without_keys, has_sessions=False)

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
        if on is None:
            names: dict[str, Any] = {
                "queues": queues,
                "tasks": tasks,
                "jobs": jobs,
                "runs": runs,
                "worker": worker,
            }
            request.state.check = LastCheck(monotonic(), partial(self.check, request, action, **names))
        with self.counted(request) as hashed:
            caller = await check_access(database, hashed, action, queues, tasks, jobs, runs, worker)
            request.state.key_name, request.state.caller = caller.name, caller
            self._remember(hashed, caller)
        return caller

    def recognise(self, request: Request) -> Caller | None:
        """Whose secret the request has, if it was valid before; for what checks the key in another way."""
        caller = self._callers.get(self.secret_of(request))
        if caller is not None:
            with self.counted(request):
                request.state.key_name, request.state.caller = caller.name, caller
        return caller

    @asynccontextmanager
    async def with_verb(self, request: Request, action: AccessAction) -> AsyncIterator[Caller]:
        """Around a verb that checks the access key itself, in its own statement: whose key it is.

        A secret belongs to one key for ever, and a key keeps its role and scope; only whether it is valid can
        change, which the verb finds out. So a secret that was valid before needs no check here.
        """
        caller = self._callers.get(self.secret_of(request)) or await self.check(request, action)
        with self.counted(request) as hashed:
            request.state.key_name, request.state.caller = caller.name, caller
            self._connections.begin(caller.name)
            try:
                yield caller
            except NotAuthenticated:
                self._callers.pop(hashed, None)
                request.state.key_name = None
                raise

    @asynccontextmanager
    async def changing(
        self,
        request: Request,
        action: AccessAction,
        *,
        jobs: Sequence[UUID] | None = None,
        runs: Sequence[UUID] | None = None,
    ) -> AsyncIterator[Executor]:
        """A transaction for a change of jobs or runs, which ends with a check: a job may have been moved out
        of the scope, or the key revoked, since the first one. What was changed stays locked until the commit,
        so nothing comes in between here, and an error undoes the change.
        """
        async with self._app.database.transaction() as conn:
            yield conn
            await self.check(request, action, jobs=jobs, runs=runs, on=conn)

    def _remember(self, hashed: SecretHash, caller: Caller) -> None:
        self._callers[hashed] = caller
        self._callers.move_to_end(hashed)
        if len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)

    async def check_action(self, request: Request, job: JobId, action: AccessAction) -> Caller:
        """The same for a bulk action: a key with a scope reads and stops those that it asked for itself."""
        caller = await self.check(request, action)
        await check_action_access(self._app.database, self.secret_of(request), job, action)
        return caller

    async def log_in(self, request: Request, response: Response, secret: str) -> Session:
        """Opens a session with the secret of a key or of a log-in link, whose cookie the response sets.

        Raises NotAuthenticated, which counts as a failed log-in, and RequestRefused if a form of another page
        was sent.
        """
        check_form(request)
        session = new_secret(SESSION_PREFIX)
        with self._rates.counted(request, hashed := _hash(secret)):
            opened = await open_session(self._app.database, hashed, hash_secret(session), SESSION_LASTS)
            request.state.key_name = opened.name
        self._rates.know(hash_secret(session), opened.name)
        set_session(request, response, session, opened.lasts)
        return opened

    async def log_out(self, request: Request, response: Response) -> None:
        """Closes the session of the request, if it has one, and deletes its cookie.

        Raises RequestRefused if a form of another page was sent: the browser may have left out the cookie,
        and would delete it all the same.
        """
        check_form(request)
        if secret := session_secret(request):
            with suppress(NotAuthenticated), self._rates.counted(request, hashed := _hash(secret)):
                if not await close_session(self._app.database, hashed):
                    raise NotAuthenticated("The session has ended.")
        delete_session(request, response)

    @contextmanager
    def counted(self, request: Request) -> Iterator[SecretHash]:
        """The secret of a request, around the check of it, which sets `key_name` of the request's state.

        The request counts towards the rate of that key, and then uses its share of the connections.
        """
        hashed = self.secret_of(request)
        with self._rates.counted(request, hashed):
            yield hashed
        self._connections.begin(request.state.key_name)

    @asynccontextmanager
    async def share_of(self, caller: Caller) -> AsyncIterator[None]:
        """Around reads in a task of their own, which use the share of connections of the caller's key."""
        with self._connections.acting_for(caller.name):
            yield

    def secret_of(self, request: Request) -> SecretHash:
        """A key in the header comes before the cookie; a server without keys looks at no cookie."""
        if "authorization" in request.headers:
            return _bearer(request)
        if self._without_keys is not None:
            return self._without_keys
        if self._has_sessions and (secret := session_secret(request)):
            return _hash(secret)
        raise _no_key()


def _bearer(request: Request) -> SecretHash:
    kind, _, secret = request.headers["authorization"].partition(" ")
    secret = secret.strip()
    if kind.lower() != "bearer" or not secret:
        raise _no_key()
    return _hash(secret)


def _hash(secret: str) -> SecretHash:
    if len(secret) > LONGEST_SECRET:
        raise NotAuthenticated("The access key is unknown, expired or revoked.")
    return hash_secret(secret)


def _no_key() -> NotAuthenticated:
    return NotAuthenticated("The request has no access key.", "send it as 'Authorization: Bearer SECRET'")
