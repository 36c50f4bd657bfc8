"""Queues and tasks are declared with their policies; only what is given changes."""

import json
from datetime import timedelta
from typing import Any

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal, to_json


async def the_queue(conn: Connection, name: str) -> Record:
    (row,) = await conn.fetch("select * from holdfast.queue_view where name = $1", name)
    return row


async def test_a_queue_has_its_defaults(conn: Connection) -> None:
    row = await the_queue(conn, await a_queue(conn, "q"))
    assert (row["max_losses"], row["detail"], row["notify"], row["weight"]) == (3, "basic", True, 1)
    assert (row["max_wait"], row["cancel_grace"]) == (timedelta(days=1), timedelta(seconds=30))
    assert (row["retention"], row["payload_limit"]) == (timedelta(days=30), 262144)


async def test_only_the_settings_that_are_given_change(conn: Connection) -> None:
    await a_queue(conn, "q", priority=10, timeout=60, retry="posts", endpoint="llm", ageing=2)
    await a_queue(conn, "q", max_failures=5, ageing=None)
    row = await the_queue(conn, "q")
    assert (row["priority"], row["timeout"], row["max_failures"]) == (10, timedelta(seconds=60), 5)
    assert (json.loads(row["retry"]), row["endpoint"], row["ageing"]) == (
        {"delays": [60, 300, 900]}, "llm", None,
    )  # fmt: skip


async def test_a_declaration_does_not_resume_a_paused_queue(conn: Connection) -> None:
    await a_queue(conn, "q")
    await conn.execute("select holdfast.pause_queue('q')")
    await a_queue(conn, "q", priority=1)
    assert (await the_queue(conn, "q"))["paused_at"] is not None


@pytest.mark.parametrize(
    "policy",
    [
        {"no_such": 1},
        {"priority": 101},
        {"priority": "x"},
        {"max_failures": 0},
        {"max_losses": 0},
        {"max_losses": None},
        {"retry": "no-such"},
        {"timeout": 0},
        {"timeout": "soon"},
        {"max_wait": 0},
        {"max_wait": None},
        {"rescue_delay": -1},
        {"rescue_delay": "no-such"},
        {"rescue_delay": "5 moments"},
        {"rescue_delay": [-1]},
        {"cancel_grace": -1},
        {"ageing": 0},
        {"ageing": 1e-300},
        {"weight": 0},
        {"weight": 1e-300},
        {"detail": "all"},
        {"retention": 0},
        {"payload_limit": 0},
        {"notify": "maybe"},
    ],
    ids=to_json,
)
async def test_a_setting_out_of_range_is_refused(conn: Connection, policy: dict[str, Any]) -> None:
    error = await refusal(conn, "select holdfast.declare_queue('q', $1)", to_json(policy))
    assert error.sqlstate == "HF002"
    assert error.hint


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (90, {"delays": [90]}),
        ("10 minutes", {"delays": [600]}),
        ([300, 600], {"delays": [300, 600]}),
        ("posts", {"delays": [60, 300, 900]}),
        ({"base": 1, "factor": 3}, {"base": 1, "factor": 3}),
        (None, None),
    ],
)
async def test_the_rest_after_a_loss_is_a_retry_policy_or_one_duration(
    conn: Connection, given: Any, stored: Any
) -> None:
    await a_queue(conn, "q", rescue_delay=given)
    (row,) = await conn.fetch("select rescue_delay from holdfast.queue_view where name = 'q'")
    assert (None if row[0] is None else json.loads(row[0])) == stored


async def test_a_queue_needs_a_name(conn: Connection) -> None:
    for name in (None, "", "q" * 201):
        assert (await refusal(conn, "select holdfast.declare_queue($1)", name)).sqlstate == "HF002"


async def test_a_queue_knows_since_when_its_audit_trail_is_full(conn: Connection) -> None:
    since = "select full_since from holdfast.queues where name = 'q'"
    await a_queue(conn, "q")
    assert await conn.fetchval(since) is None
    await a_queue(conn, "q", detail="full")
    first = await conn.fetchval(since)
    assert first is not None
    await a_queue(conn, "q", detail="full", priority=1)
    await a_queue(conn, "q", priority=2)
    assert await conn.fetchval(since) == first
    await a_queue(conn, "q", detail="basic")
    assert await conn.fetchval(since) is None
    await a_queue(conn, "q", detail="full")
    assert await conn.fetchval(since) > first
