"""set_rollout: a change is recorded with reason and actor, and holds from its commit on."""

import json

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal

SET = "select * from holdfast.set_rollout($1, $2::text::numeric, $3, 'Ada')"
EVENTS = "select actor, reason, detail from holdfast.event_view where cause = 'set_rollout' order by id"


async def test_each_change_is_one_event_with_the_values_before_and_after(conn: Connection) -> None:
    for percent in ("20", "20.00", "0"):
        await conn.execute(SET, "new", percent, f"to {percent}")
    found = [(row["actor"], row["reason"], json.loads(row["detail"])) for row in await conn.fetch(EVENTS)]
    assert found == [
        ("Ada", "to 20", {"rollout": "new", "before": {"percent": 0}, "after": {"percent": 20}}),
        ("Ada", "to 0", {"rollout": "new", "before": {"percent": 20}, "after": {"percent": 0}}),
    ]
    (row,) = await conn.fetch("select name, percent, changed_at from holdfast.rollout_view")
    assert (row["name"], row["percent"]) == ("new", 0)


async def test_a_change_returns_its_values_before_and_after(conn: Connection) -> None:
    assert [tuple(row) for row in await conn.fetch(SET, "new", "12.5", None)] == [("percent", "0", "12.5")]
    assert await conn.fetch(SET, "new", "12.5", None) == []


@pytest.mark.parametrize("percent", ["-1", "100.01", "12.345", "NaN", None])
async def test_a_percentage_out_of_range_is_refused(conn: Connection, percent: str | None) -> None:
    assert (await refusal(conn, SET, "new", percent, None)).sqlstate == "HF002"
    assert await conn.fetchval("select count(*) from holdfast.rollout_view") == 0


@pytest.mark.parametrize("name", [None, "", "x" * 201])
async def test_a_name_that_is_none_is_refused(conn: Connection, name: str | None) -> None:
    assert (await refusal(conn, SET, name, "20", None)).sqlstate == "HF002"
