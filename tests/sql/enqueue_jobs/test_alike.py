"""Jobs that are alike take a shorter way; what is stored must not depend on the way."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.builders import to_json

ENQUEUE = "select job_id from holdfast.enqueue_jobs(array['x'], $1::json[], $2, $3::jsonb[])"
STORED = """
select to_jsonb(j) - array['id', 'rank_at', 'due_at', 'payload'] as row,
  round(extract(epoch from j.due_at - holdfast.now())) as due,
  coalesce(j.payload, (select p.payload from holdfast.payloads as p where p.job_id = j.id))::text as payload,
  j.payload is null as is_apart,
  (select count(*) from holdfast.events as e where e.job_id = j.id) as events
from unnest($1::uuid[]) with ordinality as u (id, i)
join holdfast.jobs as j on j.id = u.id
order by u.i
"""
PAYLOADS = ['{"n": 1}', '{"n": 2}', to_json({"text": "a" * 3000})]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"queue": "new", "priority": 7},
        {"queue": "aged", "delay": 3600},
        {"queue": "noted", "labels": {"a": 1}, "max_failures": 2, "retry": [1, 2], "timeout": 9},
        {"queue": "calls", "group": "g", "estimate": 3, "deadline": "2999-01-01T00:00:00Z"},
    ],
    ids=["none", "queue", "delay", "policy", "lane"],
)
async def test_jobs_stored_together_are_as_those_stored_one_by_one(
    conn: Connection, options: dict[str, Any]
) -> None:
    await install_fake_clock(conn)
    await conn.execute("select holdfast.declare_queue('aged', '{\"ageing\": 2}')")
    await conn.execute('select holdfast.declare_queue(\'noted\', \'{"detail": "full", "priority": 3}\')')
    await conn.execute('select holdfast.declare_queue(\'calls\', \'{"endpoint": "model", "timeout": 60}\')')
    await conn.execute("select holdfast.declare_task('x', '{\"priority\": 66, \"timeout\": 5}')")
    alike = await stored(conn, options, None)
    one_by_one = await stored(conn, options, ["{}"] * len(PAYLOADS))
    assert alike == one_by_one
    assert [row["is_apart"] for row in alike] == [False, False, True]


async def test_jobs_stored_together_keep_their_order(conn: Connection) -> None:
    ids = [row["job_id"] for row in await conn.fetch(ENQUEUE, ["{}"] * 100, "{}", None)]
    ranked = await conn.fetch("select id from holdfast.jobs order by rank_at, id")
    assert [row["id"] for row in ranked] == ids


async def stored(conn: Connection, options: dict[str, Any], each: list[str] | None) -> list[dict[str, Any]]:
    ids = [row["job_id"] for row in await conn.fetch(ENQUEUE, PAYLOADS, to_json(options), each)]
    return [dict(row) for row in await conn.fetch(STORED, ids)]
