"""Jobs by a value in their payload, and by their latest error: also of large payloads, and bounded."""

import json
from typing import Any
from uuid import UUID

import pytest

from holdfast.db import jobs, operator
from holdfast.db.connect import Connection
from holdfast.model.error import InvalidOption
from holdfast.model.state import LIVE, State
from tests.builders import completed_job, dead_job, fail, ready_job, running_job
from tests.sql.list_jobs.test_listing import listed

LARGE = "x" * 3000  # above 2 KB a payload lies in a table of its own

DOCUMENT = {
    "customer": {"id": "4711", "vip": True, "note": None},
    "items": [{"sku": "a", "size": 3}, {"sku": "b", "size": 1.50}],
    "count": 4711,
    "ünïcode": "Straße",
}

FITS: list[dict[str, Any]] = [
    {"customer.id": "4711"},
    {"count": "4711"},
    {"count": 4711},
    {"count": 4711.0},
    {"items.0.sku": "a"},
    {"items.-1.sku": "b"},
    {"items.1.size": 1.5},
    {"customer.vip": True},
    {"customer.vip": "true"},
    {"customer.note": None},
    {"customer.note": "null"},
    {"ünïcode": "Straße"},
    {"customer.id": "4711", "items.0.size": 3},
]
DIFFERS: list[dict[str, Any]] = [
    {"customer.id": 4711},
    {"customer.id": "471"},
    {"customer": "4711"},
    {"customer.id.more": "4711"},
    {"customer.vip": 1},
    {"customer.vip": False},
    {"customer.missing": None},
    {"items.7.sku": "a"},
    {"items.sku": "a"},
    {"items": "[]"},
    {"customer.id": "4711", "items.0.size": 4},
]


@pytest.mark.parametrize("more", ["", LARGE], ids=["small", "large"])
async def test_values_choose_by_their_path(conn: Connection, more: str) -> None:
    live = await ready_job(conn, queue="a", payload={**DOCUMENT, "more": more})
    ended = (await completed_job(conn, queue="b", payload={**DOCUMENT, "more": more})).id
    await ready_job(conn, queue="c", payload={"customer": "none", "more": more})
    for wanted in FITS:
        assert await listed(conn, payload=wanted) == {live, ended}, wanted
        assert (await operator.find_jobs(conn, {"payload": wanted})).items == [live], wanted
        assert await jobs.count_matching(conn, {"payload": wanted}, [*LIVE, State.COMPLETED]) == 2, wanted
    for wanted in DIFFERS:
        assert await listed(conn, payload=wanted) == set(), wanted
        assert await jobs.count_matching(conn, {"payload": wanted}, LIVE) == 0, wanted


@pytest.mark.parametrize(
    "document", ["null", '"text"', "17", "[]", "[[[]]]", "{}", '{"a": {}}', "1e308", "-0"]
)
async def test_a_payload_of_any_shape_is_looked_at(conn: Connection, document: str) -> None:
    job = await ready_job(conn, payload=json.loads(document))
    assert await listed(conn, payload={"a.b": "x"}) == set()
    assert await listed(conn) == {job}


async def test_other_filters_choose_too(conn: Connection) -> None:
    job = await ready_job(conn, queue="a", payload={"n": 1})
    await ready_job(conn, queue="b", payload={"n": 1})
    await ready_job(conn, queue="a", payload={"n": 2})
    assert await listed(conn, queue="a", payload={"n": 1}) == {job}
    assert await listed(conn, queue="a", state="dead", payload={"n": 1}) == set()


async def test_the_latest_error_chooses(conn: Connection) -> None:
    await ready_job(conn, queue="fresh", payload={"n": 1})
    await completed_job(conn, queue="fine", payload={"n": 1})
    once = await failed_job(conn, "retried", "it broke", {"n": 1})
    dead = (await dead_job(conn, queue="dead", payload={"n": 2, "more": LARGE})).id
    of_once, of_dead = [
        await conn.fetchval("select fingerprint from holdfast.attempts where job_id = $1", job)
        for job in (once, dead)
    ]
    assert await listed(conn, fingerprint=of_once) == {once}
    assert await listed(conn, fingerprint=of_dead) == {dead}
    assert await listed(conn, fingerprint=of_dead, payload={"n": 2}) == {dead}
    assert await listed(conn, fingerprint=of_once, payload={"n": 2}) == set()
    assert await listed(conn, fingerprint=of_dead, payload={"n": 1}) == set()
    assert await listed(conn, fingerprint="none") == set()
    assert (await operator.find_jobs(conn, {"fingerprint": of_once})).items == [once]


async def failed_job(conn: Connection, queue: str, message: str, payload: Any) -> UUID:
    job = await running_job(conn, queue=queue, payload=payload)
    await fail(conn, job, message=message)
    return job.id


async def test_the_time_of_the_enqueue_chooses(conn: Connection) -> None:
    job = await ready_job(conn)
    at = await conn.fetchval("select holdfast.created_at($1)", job)
    moment = at.isoformat()
    assert await listed(conn, enqueued_after=moment) == {job}
    assert await listed(conn, enqueued_before=moment) == set()
    assert await listed(conn, enqueued_after="2001-01-01T00:00:00Z", enqueued_before="infinity") == {job}
    assert await listed(conn, enqueued_after="infinity") == set()
    assert await listed(conn, enqueued_before="2001-01-01T00:00:00Z") == set()
    assert await jobs.count_matching(conn, {"enqueued_after": moment}, LIVE) == 1
    assert (await operator.find_jobs(conn, {"enqueued_before": moment})).items == []


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ([], "must be a JSON object"),
        ("customer.id", "must be a JSON object"),
        ({}, "1 to 10 paths"),
        ({f"p{i}": 1 for i in range(11)}, "1 to 10 paths"),
        ({"": 1}, "empty name"),
        ({"a..b": 1}, "empty name"),
        ({".a": 1}, "empty name"),
        ({"a.": 1}, "empty name"),
        ({"a" * 10_000: 1}, "500 characters"),
        ({".".join("a" * 65): 1}, "64 names"),
        ({"a": {}}, "must be a string, a number"),
        ({"a": ["x"]}, "must be a string, a number"),
        ({"a": "x" * 1001}, "at most 1000 characters"),
    ],
)
async def test_a_payload_that_cannot_be_looked_for_is_refused(
    conn: Connection, payload: Any, words: str
) -> None:
    with pytest.raises(InvalidOption, match=words):
        await jobs.list_jobs(conn, {"payload": payload})


@pytest.mark.parametrize("path", ["' or true --", "$.a", "a[*]", "\\", "{a}", "a,b", "null", "%", "\u202e"])
async def test_a_hostile_path_finds_nothing(conn: Connection, path: str) -> None:
    await ready_job(conn, payload={"a": "x"})
    assert await listed(conn, payload={path: "x"}) == set()


async def test_a_path_may_have_any_characters_but_dots(conn: Connection) -> None:
    job = await ready_job(conn, payload={"' or true --": {'{a,"b"}': "x"}})
    assert await listed(conn, payload={'\' or true --.{a,"b"}': "x"}) == {job}


async def test_a_look_at_large_payloads_ends_after_16_mib(conn: Connection) -> None:
    """70 payloads of 256,000 bytes are more than 16 MiB, so one call does not read all of them."""
    wanted = await ready_job(conn, queue="old", payload={"n": "old", "more": LARGE})
    await conn.execute(MANY_LARGE, 70)
    newest = await ready_job(conn, queue="new", payload={"n": "new"})
    first = await jobs.page_jobs(conn, {"payload": {"n": "old"}})
    assert first.items == []
    assert first.next is not None
    second = await jobs.page_jobs(conn, {"payload": {"n": "old"}}, first.next)
    assert ([job.id for job in second.items], second.next) == ([wanted], None)
    live = await operator.find_jobs(conn, {"payload": {"n": "new"}})
    assert live.items == []
    assert live.next is not None
    rest = await operator.find_jobs(conn, {"payload": {"n": "new"}}, live.next)
    assert (rest.items, rest.next) == ([newest], None)


MANY_LARGE = """
select holdfast.enqueue_jobs(
  array['task'],
  array(select json_build_object('n', i, 'more', repeat('x', 256000))
    from generate_series(1, $1::integer) as i)
)
"""
