"""Bulk actions for tests: asked for by the real verb with an access key, and claimed as `serve` does."""

from typing import Any
from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import Running, to_json
from tests.sql.access_keys import Scope, a_key, digest

REQUEST = "select job_id from holdfast.request_action($1, $2, $3, $4, $5)"
OPS = "ops"


async def asked_action(
    conn: Connection,
    action: str = "cancel",
    settings: dict[str, Any] | None = None,
    reason: str | None = "the campaign was stopped",
    key: str | None = None,
    role: str = "operator",
    queues: Scope = None,
    tasks: Scope = None,
) -> UUID:
    """Makes the access key `ops` too, whose secret is its name, unless there is one."""
    if not await conn.fetchval("select exists (select from holdfast.access_key_view where name = $1)", OPS):
        await a_key(conn, role, OPS, OPS, queues, tasks)
    wanted = {"filter": {"queue": "mail"}} if settings is None else settings
    job: UUID = await conn.fetchval(REQUEST, digest(OPS), action, to_json(wanted), reason, key)
    return job


async def claimed_action(conn: Connection) -> Running:
    worker = uuid4()
    await conn.execute(
        "select holdfast.register_worker($1, array['holdfast'], '{\"internal\": true}')", worker
    )
    row = await conn.fetchrow("select job_id, token, attempt from holdfast.claim_jobs($1, 1)", worker)
    assert row is not None
    return Running(row["job_id"], row["token"], worker, row["attempt"])
