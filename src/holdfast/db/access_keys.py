"""The verbs on access keys and their sessions. A secret never reaches the database, only its hash."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from holdfast.db.read_rows import enqueued, read_all, read_one
from holdfast.db.statement import Executor, Fetcher, fetch, fetch_one, fetch_value, run
from holdfast.model.access_key import AccessAction, AccessKey, AccessRole, Caller, SecretHash, Session
from holdfast.model.job import Enqueued
from holdfast.model.payload import JsonText

CREATE = """
select holdfast.create_access_key(
  $1::text, $2::text, $3::bytea, $4::text[], $5::text[], $6::interval, $7::text, $8::text)
"""
ROTATE = "select holdfast.rotate_access_key($1::text, $2::bytea, $3::interval, $4::text, $5::text)"
REVOKE = "select holdfast.revoke_access_key($1::text, $2::text, $3::text)"
LINK = "select holdfast.create_login_link($1::text, $2::bytea, $3::interval, $4::text, $5::text)"
OPEN_SESSION = """
select name, role, expires_at, lasts
from holdfast.open_session($1::bytea, $2::bytea, $3::interval)
"""
CLOSE_SESSION = "select holdfast.close_session($1::bytea)"
LIST = """
select
  id, name, role, queues, tasks, state, created_at, expires_at, revoked_at, last_used_at, secrets
from holdfast.access_key_view
where $1 or state = 'valid'
order by name, created_at
limit $2
"""
HAS_ANY = "select exists (select from holdfast.access_key_view where state = 'valid')"
CHECK = """
select key, name, role, key_queues, key_tasks, scope
from holdfast.check_access($1::bytea, $2::text, $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid)
"""

WATCHERS = "select * from holdfast.check_watchers($1::bytea[], $2::uuid[])"
CLAIMANTS = "select * from holdfast.check_claimants($1::bytea[], $2::uuid[])"
MOST_WATCHERS = 1000  # of one statement

ENQUEUE = (
    "select job_id, created from holdfast.enqueue_with_key($1::bytea, $2::uuid, "
    "$3::text[], holdfast.read_payloads($4::text[]), $5::text::jsonb, $6::text[]::jsonb[])"
)


async def create_access_key(
    on: Executor,
    name: str,
    role: AccessRole,
    hashed: SecretHash,
    queues: Sequence[str] | None,
    tasks: Sequence[str] | None,
    expires_in: timedelta | None,
    reason: str | None,
    actor: str,
) -> None:
    await run(on, CREATE, name, role, hashed, queues, tasks, expires_in, reason, actor)


async def rotate_access_key(
    on: Executor, name: str, hashed: SecretHash, overlap: timedelta, reason: str | None, actor: str
) -> datetime:
    """Until when the earlier secrets are accepted."""
    until: datetime = (await fetch_one(on, ROTATE, name, hashed, overlap, reason, actor))[0]
    return until


async def revoke_access_key(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, REVOKE, name, reason, actor)


async def create_login_link(
    on: Executor, name: str, hashed: SecretHash, lifetime: timedelta, reason: str | None, actor: str
) -> datetime:
    """Until when it opens a session."""
    until: datetime = (await fetch_one(on, LINK, name, hashed, lifetime, reason, actor))[0]
    return until


async def open_session(on: Executor, hashed: SecretHash, session: SecretHash, lifetime: timedelta) -> Session:
    """Raises NotAuthenticated unless `hashed` is that of a key's or a link's secret."""
    return await read_one(on, Session, OPEN_SESSION, hashed, session, lifetime)


async def close_session(on: Executor, session: SecretHash) -> bool:
    """Whether it was open."""
    return bool(await fetch_value(on, CLOSE_SESSION, session))


async def list_access_keys(on: Executor, limit: int, all_states: bool = False) -> list[AccessKey]:
    """The valid ones by name, or all."""
    return await read_all(on, AccessKey, LIST, all_states, limit)


async def has_access_keys(on: Executor) -> bool:
    """Whether any key is valid now."""
    return bool(await fetch_value(on, HAS_ANY))


async def check_access(
    on: Executor,
    hashed: SecretHash,
    action: AccessAction,
    queues: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    jobs: Sequence[UUID] | None = None,
    runs: Sequence[UUID] | None = None,
    worker: UUID | None = None,
) -> Caller:
    """Raises NotAuthenticated, AccessDenied, or NotFound for a job or run outside of the key's scope, or
    a worker of another key.
    """
    return await read_one(on, Caller, CHECK, hashed, action, queues, tasks, jobs, runs, worker)


async def check_watchers(on: Executor, watchers: Sequence[tuple[SecretHash, UUID | None]]) -> set[int]:
    """The places of those that may go on, from 0. Each is a secret, and the job that it watches if a move
    may take that out of the key's scope.
    """
    return await _valid(on, WATCHERS, watchers)


async def check_claimants(on: Executor, claimants: Sequence[tuple[SecretHash, UUID]]) -> set[int]:
    """The places of those that may go on waiting, from 0. Each is a secret and the worker that claims."""
    return await _valid(on, CLAIMANTS, claimants)


async def _valid(on: Executor, query: str, asked: Sequence[tuple[SecretHash, UUID | None]]) -> set[int]:
    valid: set[int] = set()
    for first in range(0, len(asked), MOST_WATCHERS):
        hashes, others = zip(*asked[first : first + MOST_WATCHERS], strict=True)
        valid |= {first + row[0] - 1 for row in await fetch(on, query, hashes, others)}
    return valid


async def enqueue_with_key(
    on: Fetcher,
    hashed: SecretHash,
    key: UUID,
    tasks: Sequence[str],
    payloads: Sequence[JsonText],
    options: Mapping[str, Any],
    each: Sequence[Mapping[str, Any]] | None = None,
) -> list[Enqueued]:
    """Checks the access key and its scope, and stores the jobs, in one statement.

    `key`: the one for which the options were made.
    """
    own = None if each is None else [json.dumps(one) for one in each]
    rows = await fetch(on, ENQUEUE, hashed, key, list(tasks), list(payloads), json.dumps(options), own)
    return [enqueued(row) for row in rows]
