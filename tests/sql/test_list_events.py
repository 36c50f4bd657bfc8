"""Events are listed newest first, by a filter, a bounded number per call."""

import json
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, dead_job, refusal

EVENTS = """
select holdfast.pause_queue('a', 'lunch', 'Ada'), holdfast.resume_queue('a', null, 'Bob'),
  holdfast.pause_queue('b', 'lunch', 'Ada')
"""


async def listed(conn: Connection, before: int | None = None, limit: int = 100, **filters: Any) -> list[Any]:
    return await conn.fetch(
        "select * from holdfast.list_events($1, $2, $3)", json.dumps(filters), before, limit
    )


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, ["b", "a", "a"]),
        ({"queue": "a"}, ["a", "a"]),
        ({"actor": "Ada"}, ["b", "a"]),
        ({"cause": "resume"}, ["a"]),
        ({"login": "nobody"}, []),
        ({"until": "2020-01-01T00:00:00Z"}, []),
        ({"since": "2020-01-01T00:00:00Z"}, ["b", "a", "a"]),
    ],
)
async def test_events_are_found_by_a_filter(
    conn: Connection, filters: dict[str, Any], found: list[str]
) -> None:
    await a_queue(conn, "a")
    await a_queue(conn, "b")
    await conn.execute(EVENTS)
    assert [row["queue"] for row in await listed(conn, **filters)] == found


async def test_the_events_of_a_job_are_found_by_its_id(conn: Connection) -> None:
    job = await dead_job(conn)
    await dead_job(conn)
    (event,) = await listed(conn, job=str(job.id))
    assert (event["cause"], event["to_state"], event["job_id"]) == ("end", "dead", job.id)


async def test_pages_follow_each_other(conn: Connection) -> None:
    await a_queue(conn, "a")
    await a_queue(conn, "b")
    await conn.execute(EVENTS)
    first = await listed(conn, limit=2)
    rest = await listed(conn, before=first[-1]["id"], limit=2)
    assert [row["id"] for row in [*first, *rest]] == [row["id"] for row in await listed(conn)]


async def test_a_look_is_bounded_and_says_where_to_continue(conn: Connection) -> None:
    await conn.execute(
        "insert into holdfast.events (at, cause) select holdfast.now(), 'x' from generate_series(1, 10001)"
    )
    (place,) = await listed(conn, cause="y")
    assert place["cause"] is None
    assert await listed(conn, before=place["id"], cause="y") == []


async def test_an_unknown_filter_is_refused(conn: Connection) -> None:
    assert (await refusal(conn, """select holdfast.list_events('{"colour": 1}')""")).sqlstate == "HF002"
