"""The pairs of queues that rebalancing may move jobs between."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal, to_json

SET = "select setting, before, after from holdfast.set_rebalance('a', 'b', $1, 'why', 'Ada')"
PAIRS = "select from_queue, to_queue, ratio, least_depth, max_jobs, condition from holdfast.rebalance_view"


async def two_queues(conn: Connection) -> None:
    await a_queue(conn, "a")
    await a_queue(conn, "b")


async def test_a_new_pair_has_the_defaults_and_one_event(conn: Connection) -> None:
    await two_queues(conn)
    rows = await conn.fetch(SET, to_json({"condition": '$.size == "medium"'}))
    assert [row["setting"] for row in rows] == ["condition", "least_depth", "max_jobs", "ratio"]
    (pair,) = await conn.fetch(PAIRS)
    assert tuple(pair) == ("a", "b", 3, 10, 1000, '($."size" == "medium")')
    (event,) = await conn.fetch("select * from holdfast.audit_view where cause = 'set_rebalance'")
    assert (event["actor"], event["reason"]) == ("Ada", "why")
    assert '"rebalance": "a -> b"' in event["detail"]


async def test_only_what_is_given_changes_and_null_is_the_default(conn: Connection) -> None:
    await two_queues(conn)
    await conn.fetch(SET, to_json({"ratio": 5, "max_jobs": 7}))
    assert await conn.fetch(SET, to_json({"max_jobs": 7})) == []
    (change,) = await conn.fetch(SET, to_json({"ratio": None}))
    assert tuple(change) == ("ratio", "5", "3")
    (pair,) = await conn.fetch(PAIRS)
    assert (pair["ratio"], pair["max_jobs"]) == (3, 7)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"ratio": 1}, "ratio must be more than 1"),
        ({"least_depth": 0}, "least_depth must be at least 1"),
        ({"max_jobs": 10_001}, "max_jobs must be 1 to 10000"),
        ({"ratio": "much"}, '"much" is not a valid value'),
        ({"speed": 3}, "The rebalancing of two queues has no setting speed."),
        ({"condition": "$.size ==="}, "The condition is not a valid JSON path, at character"),
        ({"condition": '$.a like_regex "^(a+)+$"'}, "A condition must not use like_regex"),
        ({"condition": "$.**.a == 1"}, "A condition must not use **"),
        ({"condition": "$.a == " + "1" * 1100}, "A condition must have 1 to 1024 bytes"),
    ],
)
async def test_a_bad_setting_is_refused(conn: Connection, policy: dict[str, Any], words: str) -> None:
    await two_queues(conn)
    error = await refusal(conn, SET, to_json(policy))
    assert error.sqlstate == "HF002"
    assert words in str(error)


async def test_words_within_a_string_are_no_operators(conn: Connection) -> None:
    await two_queues(conn)
    await conn.fetch(SET, to_json({"condition": '$.a == "like_regex \\" **"'}))
    assert len(await conn.fetch(PAIRS)) == 1


async def test_a_queue_that_does_not_exist_is_refused(conn: Connection) -> None:
    await a_queue(conn, "a")
    assert (await refusal(conn, SET, "{}")).sqlstate == "HF004"


async def test_a_queue_of_a_pair_is_not_removed_as_unused(conn: Connection) -> None:
    for name in ("a", "b", "c"):
        await conn.execute("select holdfast.declare_queue($1, null)", name)
    await conn.fetch(SET, "{}")
    await conn.execute("update holdfast.lanes set expires_at = holdfast.now() - interval '1 day'")
    await conn.execute("update holdfast.queues set expires_at = holdfast.now() - interval '1 day'")
    await conn.execute("select holdfast.prune_unused(100)")
    rows = await conn.fetch("select name from holdfast.queues where name in ('a', 'b', 'c')")
    assert {row["name"] for row in rows} == {"a", "b"}
