"""The preset repo-capture: every combination of factors scores as written, every route goes where it says."""

import json
from itertools import product
from typing import Any

import pytest_asyncio

from holdfast.client.rules import presets, read_rules
from holdfast.db import rules
from holdfast.db.connect import Connection
from holdfast.model.rule import RuleOwner
from tests.sql.rules.scene import a_rule, judged, stored

PRIORITY = {"high": 40, "medium": 20, "low": 10, None: 0}
SIZE = {"small": 30, "medium": 20, "large": 15, "xl": 10, None: 0}
SOURCE = {"manual": 20, "automatic": 10, "scheduled": 5, "import": 0}
ACTIVITY = {501: 10, 500: 5, 101: 5, 100: 0, None: 0}

REAL_TIME, BULK = "real-time", "bulk"
MANUAL = {"trigger_source": "manual"}
SCHEDULED = {"trigger_source": "scheduled"}
# The lines of the two processors, then what several of them say, and the bounds.
ROUTES: list[tuple[dict[str, Any], str]] = [
    ({"time_range_hours": 23}, REAL_TIME),
    ({"max_items": 9}, REAL_TIME),
    ({**MANUAL, "max_items": 9}, REAL_TIME),
    ({"repository_size": "small"}, REAL_TIME),
    ({"repository_size": "medium"}, REAL_TIME),
    ({"time_range_hours": 25}, BULK),
    ({"max_items": 51}, BULK),
    (SCHEDULED, BULK),
    ({"repository_size": "large"}, BULK),
    ({"repository_size": "xl"}, BULK),
    ({**SCHEDULED, "repository_size": "small", "max_items": 5, "time_range_hours": 1}, BULK),
    ({"time_range_hours": 1, "repository_size": "large"}, BULK),
    ({"time_range_hours": 1, "max_items": 51}, BULK),
    ({"time_range_hours": 25, "repository_size": "small", "max_items": 5}, BULK),
    ({**MANUAL, "repository_size": "xl", "max_items": 5, "time_range_hours": 99}, REAL_TIME),
    ({**MANUAL, "repository_size": "xl"}, BULK),
    ({**MANUAL, "max_items": 51}, BULK),
    ({"max_items": 10}, BULK),
    ({"max_items": 50}, BULK),
    ({"max_items": 30, "time_range_hours": 1}, REAL_TIME),
    ({"max_items": 30, "repository_size": "medium"}, REAL_TIME),
    ({"max_items": 30, "repository_size": "large"}, BULK),
    ({"time_range_hours": 24}, BULK),
    ({}, BULK),
    ({"maxItems": 9}, REAL_TIME),
    ({"maxItems": 100, "priority": "high"}, BULK),
    ({"maxItems": 100, "max_items": 5}, REAL_TIME),
    ({"timeRange": 0.5}, REAL_TIME),
    ({"timeRange": 7}, BULK),
]


@pytest_asyncio.fixture(loop_scope="session")
async def capturing(conn: Connection) -> Connection:
    found = read_rules("repo-capture")
    await rules.set_rule_set(conn, RuleOwner.TASK, "capture", found.policy, None, "tests")
    for rule in found.rules:
        policy = {key: value for key, value in rule.items() if key != "name"}
        await rules.set_rule(conn, RuleOwner.TASK, "capture", rule["name"], policy, None, "tests")
    return conn


def a_payload(**factors: Any) -> dict[str, Any]:
    return {name: value for name, value in factors.items() if value is not None}


async def test_all_combinations_and_absent_factors_score_as_written(capturing: Connection) -> None:
    expected: dict[str, int] = {}
    for (high, a), (size, b), (source, c), (prs, d) in product(
        PRIORITY.items(), SIZE.items(), SOURCE.items(), ACTIVITY.items()
    ):
        payload = a_payload(
            repository_priority=high, repository_size=size, trigger_source=source, prs_per_month=prs
        )
        expected[json.dumps(payload)] = a + b + c + d
    await capturing.execute(
        "select holdfast.enqueue_jobs(array['capture'], $1::json[])", [*expected], timeout=600
    )
    scored = await capturing.fetch("select payload::text, priority from holdfast.jobs")
    assert {row["payload"]: row["priority"] for row in scored} == expected
    assert len(expected) == 4 * 5 * 4 * 5
    assert (min(expected.values()), max(expected.values())) == (0, 100)


async def test_the_names_of_the_event_and_the_origin_of_the_job_count_too(capturing: Connection) -> None:
    async def score(payload: dict[str, Any], **options: Any) -> int:
        return (await stored(capturing, payload, **options))[1]

    assert await score({"priority": "medium"}, origin="import") == 20
    assert await score({"priority": "high", "repository_priority": "low"}, origin="import") == 10
    assert [await score({}, origin=word) for word in ("manual", "automatic", "trigger", "scheduled")] == [
        20,
        10,
        10,
        5,
    ]
    assert await score({"trigger_source": "scheduled"}, origin="manual") == 5


async def test_a_null_does_not_hide_the_other_name_of_the_same_value(capturing: Connection) -> None:
    event = {"max_items": None, "maxItems": 5, "repository_priority": None, "priority": "high"}
    for payload in (event, {**event, "trigger_source": None}):
        assert (await stored(capturing, payload, origin="manual"))[:2] == (REAL_TIME, 60)
    assert (await stored(capturing, {"time_range_hours": None, "timeRange": 0.5}))[0] == REAL_TIME


async def test_every_line_and_overlap_goes_where_it_says(capturing: Connection) -> None:
    for payload, queue in ROUTES:
        assert (await stored(capturing, payload))[0] == queue, payload


async def test_weights_can_be_changed_while_it_runs(capturing: Connection) -> None:
    job = await capturing.fetchval("select holdfast.enqueue('capture', '{\"repository_size\": \"xl\"}')")
    await a_rule(capturing, "size-xl", points=60)
    later = await capturing.fetchval("select holdfast.enqueue('capture', '{\"repository_size\": \"xl\"}')")
    assert [(await judged(capturing, one))[1] for one in (job, later)] == [20, 70]


def test_it_is_a_preset() -> None:
    assert presets() == ["repo-capture"]
