"""A task's declaration replaces its defaults."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal, to_json

DECLARE = "select holdfast.declare_task('t', $1)"


async def test_a_declaration_replaces_the_one_before(conn: Connection) -> None:
    await conn.execute(DECLARE, to_json({"queue": "q", "priority": 1, "timeout": 60, "retry": [5]}))
    await conn.execute(DECLARE, to_json({"queue": "q", "max_failures": 2}))
    (row,) = await conn.fetch("select * from holdfast.task_view")
    assert (row["name"], row["queue"], row["max_failures"]) == ("t", "q", 2)
    assert (row["priority"], row["timeout"], row["retry"]) == (None, None, None)


async def test_a_task_that_a_live_worker_knows_is_seen(conn: Connection) -> None:
    await conn.execute(
        """select holdfast.register_worker(gen_random_uuid(), array['q'], '{"tasks": ["known", "t"]}')"""
    )
    await conn.execute(DECLARE, to_json({"timeout": 60}))
    rows = await conn.fetch("select name, timeout from holdfast.task_view order by name")
    assert [tuple(row) for row in rows] == [("known", None), ("t", timedelta(seconds=60))]


@pytest.mark.parametrize(
    "policy",
    [{"no_such": 1}, {"priority": 101}, {"max_failures": 0}, {"retry": 5}, {"timeout": 0}, {"priority": "x"}],
    ids=to_json,
)
async def test_a_setting_out_of_range_is_refused(conn: Connection, policy: dict[str, Any]) -> None:
    assert (await refusal(conn, DECLARE, to_json(policy))).sqlstate == "HF002"
