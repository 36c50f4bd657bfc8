"""Retry policies: which are accepted, how many tries and which delays they mean."""

import json
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal, to_json

REFUSED: list[Any] = [
    5, True, "no-such", "", {}, {"delays": 5}, {"delays": ["1"]}, {"delays": [None]}, {"delays": [-1]},
    {"delays": [1e9]}, {"delays": [1] * 101}, {"delays": [1], "base": 1}, {"delays": [1], "jitter": -1},
    {"delays": [1], "jitter": "x"}, {"base": "5"}, {"base": -1}, {"base": 5, "factor": 0.5},
    {"base": 5, "cap": -1}, {"base": [5]}, {"base": 5, "jitter": [1]}, {"base": 5, "tries": "3"},
    {"base": 5, "jitter": 11}, {"base": 5, "tries": 0}, {"base": 5, "tries": 40000}, {"base": 5, "odd": 1},
    {"factor": 2}, [[1]], {"delays": {"a": 1}}, {"base": None},
]  # fmt: skip

ACCEPTED: list[tuple[Any, int | None]] = [
    ([], 1),
    ([0], 2),
    ([1, 2.5], 3),
    ({"delays": [1] * 100, "jitter": 0.5}, 101),
    ({"base": 0}, None),
    ({"base": 5, "factor": 2, "cap": 300, "jitter": 0.3, "tries": 7}, 7),
    ("default", 3),
    ("analysis-runs", 3),
    ("posts", 4),
    ("repo-capture", 4),
    ("alerts", 3),
    ("chat", 3),
]


async def test_what_is_no_policy_is_refused(conn: Connection) -> None:
    for policy in REFUSED:
        error = await refusal(conn, "select holdfast.retry_policy($1)", to_json(policy))
        assert (error.sqlstate, bool(error.hint)) == ("HF002", True), policy


async def test_what_is_a_policy_says_how_many_tries(conn: Connection) -> None:
    for policy, tries in ACCEPTED:
        query = "select holdfast.retry_tries(holdfast.retry_policy($1))"
        assert await conn.fetchval(query, to_json(policy)) == tries, policy


async def test_no_policy_is_none(conn: Connection) -> None:
    assert await conn.fetchval("select holdfast.retry_policy(null)") is None
    assert await conn.fetchval("select holdfast.retry_policy('null')") is None


@pytest.mark.parametrize(
    ("policy", "delays"),
    [
        ("analysis-runs", [300, 600]),
        ("posts", [60, 300, 900]),
        ("repo-capture", [60, 120, 240]),
        ("alerts", [1, 2]),
        ("chat", [0, 0]),
        ("default", [5, 10]),
        ({"base": 1, "factor": 10, "cap": 500}, [1, 10, 100, 500, 500]),
        ({"base": 600}, [600, 600]),
    ],
)
async def test_delays_follow_the_policy_and_jitter_only_adds(
    conn: Connection, policy: Any, delays: list[float]
) -> None:
    stored = await conn.fetchval("select holdfast.retry_policy($1)", to_json(policy))
    jitter = json.loads(stored).get("jitter", 0)
    for n, delay in enumerate(delays, start=1):
        for chance in (0, 0.5, 0.999):
            seen = await conn.fetchval("select holdfast.retry_delay($1, $2, $3)", stored, n, chance)
            assert seen.total_seconds() == pytest.approx(delay * (1 + chance * jitter), abs=0.001)


async def test_a_thousand_failures_do_not_overflow(conn: Connection) -> None:
    policy = to_json({"base": 31536000, "factor": 100, "cap": 31536000, "jitter": 10})
    seen = await conn.fetchval("select holdfast.retry_delay($1, 32767, 0.999)", policy)
    assert seen.days < 365 * 11 + 1
