"""The verbs on access keys. A secret never reaches the database, only its hash."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from holdfast.db.read_rows import read_all, read_one
from holdfast.db.statement import Executor, fetch_one, fetch_value, run
from holdfast.model.access_key import AccessAction, AccessKey, AccessRole, Caller, SecretHash

CREATE = """
select holdfast.create_access_key(
  $1::text, $2::text, $3::bytea, $4::text[], $5::text[], $6::interval, $7::text, $8::text)
"""
ROTATE = "select holdfast.rotate_access_key($1::text, $2::bytea, $3::interval, $4::text, $5::text)"
REVOKE = "select holdfast.revoke_access_key($1::text, $2::text, $3::text)"
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
