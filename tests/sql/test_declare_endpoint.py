"""What can be said about an endpoint, and what is refused."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, refusal, to_json
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed, the_endpoint

DECLARE = "select holdfast.declare_endpoint('model', $1)"


async def test_only_the_settings_that_are_given_change(conn: Connection) -> None:
    await an_endpoint(conn, max=9, requests_per_minute=60, shares={"chat": 0.3}, trip_failures=7)
    await an_endpoint(conn, min=2)
    row = await the_endpoint(conn)
    assert (row["min_limit"], row["max_limit"], row["trip_failures"]) == (2, 9, 7)
    assert (row["requests_per_minute"], row["shares"]) == (60, '{"chat": 0.3}')
    await an_endpoint(conn, requests_per_minute=None, shares=None)
    row = await the_endpoint(conn)
    assert (row["requests_per_minute"], row["shares"]) == (None, '{"chat": 0.3}')


@pytest.mark.parametrize(("preset", "most"), [("dev", 3), ("prod", 10)])
async def test_a_preset_gives_what_is_not_given_beside_it(conn: Connection, preset: str, most: int) -> None:
    await an_endpoint(conn, preset=preset)
    row = await the_endpoint(conn)
    assert (row["min_limit"], row["max_limit"], row["limit"]) == (1, most, 1)
    await an_endpoint(conn, preset=preset, max=most + 1)
    assert (await the_endpoint(conn))["max_limit"] == most + 1


@pytest.mark.parametrize("mode", ["flow", "aimd", "aimd_simple"])
async def test_a_worker_that_starts_again_does_not_forget_what_was_learnt(
    conn: Connection, mode: str
) -> None:
    settings: dict[str, Any] = {"preset": "prod", "mode": mode}
    await an_endpoint(conn, **settings)
    assert (await the_endpoint(conn))["limit"] == 1
    worker = await a_caller(conn)
    for _ in range(40):
        await calls(conn, 12)
        for job in await claimed(conn, worker):
            await complete(conn, job)
    learnt = (await the_endpoint(conn))["limit"]
    assert learnt > 1
    await an_endpoint(conn, **settings)
    assert (await the_endpoint(conn))["limit"] == learnt


@pytest.mark.parametrize(
    "settings",
    [
        {"colour": "red"},
        {"preset": "huge"},
        {"mode": "odd"},
        {"min": 0},
        {"min": 5, "max": 4},
        {"max": 1e6},
        {"max": None},
        {"mode": None},
        {"requests_per_minute": 0},
        {"requests_per_minute": "many"},
        {"units_per_minute": -1},
        {"static_rate": 0},
        {"budget_per_day": -1},
        {"price": "NaN"},
        {"estimate": -3},
        {"trip_failures": 0},
        {"open_first": 30, "open_max": 20},
        {"shares": [1]},
        {"shares": {"a": "much"}},
        {"shares": {"a": 1.5}},
        {"shares": {"a": 0.6, "b": 0.6}},
    ],
    ids=str,
)
async def test_a_setting_that_cannot_be_is_refused_and_nothing_is_changed(
    conn: Connection, settings: dict[str, Any]
) -> None:
    error = await refusal(conn, DECLARE, to_json(settings))
    assert error.sqlstate == "HF002", error
    assert await conn.fetch("select from holdfast.endpoints") == []
