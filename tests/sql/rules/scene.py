"""A task or queue with rules, and what becomes of the jobs that they judge."""

import json
from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection

JOB = "select queue, priority, rules from holdfast.jobs where id = $1"


async def a_rule(conn: Connection, name: str, of: str = "task capture", **policy: Any) -> dict[str, Any]:
    kind, owner = of.split(" ")
    rows = await conn.fetch(
        "select * from holdfast.set_rule($1, $2, $3, $4, 'why', 'Ada')", kind, owner, name, json.dumps(policy)
    )
    return {row["setting"]: (json.loads(row["before"]), json.loads(row["after"])) for row in rows}


async def a_set(conn: Connection, of: str = "task capture", **policy: Any) -> None:
    kind, owner = of.split(" ")
    await conn.execute("select holdfast.set_rule_set($1, $2, $3)", kind, owner, json.dumps(policy))


async def stored(
    conn: Connection, payload: Any = None, task: str = "capture", **options: Any
) -> tuple[str, int, list[str] | None]:
    """Queue, priority and matched rules of a new job."""
    job = await conn.fetchval(
        "select job_id from holdfast.enqueue_one($1, $2, $3)",
        task,
        json.dumps(payload or {}),
        json.dumps(options),
    )
    return await judged(conn, job)


async def judged(conn: Connection, job: UUID) -> tuple[str, int, list[str] | None]:
    row = await conn.fetchrow(JOB, job)
    assert row is not None
    rules = None if row["rules"] is None else json.loads(row["rules"])["rules"]
    return row["queue"], row["priority"], rules
