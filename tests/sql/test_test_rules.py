"""test_rules shows what an enqueue would do, and why, without storing a job."""

import json
from typing import Any

from holdfast.db.connect import Connection
from tests.sql.rules.scene import a_rule, stored


async def shown(conn: Connection, payload: Any, **options: Any) -> dict[str, Any]:
    text = await conn.fetchval(
        "select holdfast.test_rules('capture', $1, $2)", json.dumps(payload), json.dumps(options)
    )
    found: dict[str, Any] = json.loads(text)
    return found


async def test_each_rule_is_shown_with_what_it_looked_at(conn: Connection) -> None:
    await a_rule(conn, "large", condition='$.payload.size == "large"', points=7, queue="bulk")
    await a_rule(conn, "many", condition="$.payload.items[*].n > 5 && $.hour >= 0", points=1)
    await a_rule(conn, "off", condition="exists ($)", points=1, enabled=False)
    found = await shown(conn, {"size": "large", "items": [{"n": 1}, {"n": 2}]})
    assert (found["queue"], found["priority"], found["of"]) == ("bulk", 57, "task capture")
    large, many, off = found["rules"]
    assert (large["matched"], large["looked_at"]) == (True, {"$.payload.size": "large"})
    assert (many["matched"], many["looked_at"]["$.payload.items[*].n"]) == (False, [1, 2])
    assert (off["enabled"], off["matched"]) == (False, True)
    assert await conn.fetchval("select count(*) from holdfast.jobs") == 0


async def test_the_verdict_is_that_of_an_enqueue(conn: Connection) -> None:
    assert await shown(conn, {}) == {"queue": "default", "priority": 50, "of": None, "rules": []}
    await a_rule(conn, "some", condition="$.payload.n > 1", points=7, queue="bulk")
    for options in ({}, {"queue": "q"}, {"priority": 3}, {"default_queue": "d", "default_priority": 9}):
        for payload in ({"n": 1}, {"n": 2}):
            found = await shown(conn, payload, **options)
            queue, priority, _ = await stored(conn, payload, **options)
            assert (found["queue"], found["priority"]) == (queue, priority)
