"""What can be said about an endpoint, and what is refused."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, refusal, to_json
from tests.sql.endpoints.scene import a_caller, an_endpoint, calls, claimed, the_endpoint

DECLARE = "select holdfast.declare_endpoint('model', $1)"


async def test_an_endpoint_is_made_by_its_first_job_with_the_defaults_of_a_declared_one(
    conn: Connection,
) -> None:
    await calls(conn, 1)
    await an_endpoint(conn, "declared")
    by_job, declared = await the_endpoint(conn), await the_endpoint(conn, "declared")
    for name, value in by_job.items():
        is_moment = isinstance(value, float) and value > 1e9
        assert name == "name" or is_moment or value == declared[name], name


async def test_only_the_settings_that_are_given_change(conn: Connection) -> None:
    await an_endpoint(conn, max=9, requests_per_minute=60, shares={"chat": 0.3}, trip_failures=7)
    await an_endpoint(conn, min=2)
    row = await the_endpoint(conn)
    assert (row["min_limit"], row["max_limit"], row["trip_failures"]) == (2, 9, 7)
    assert (row["requests_per_minute"], row["shares"]) == (60, '{"chat": 0.3}')
    await an_endpoint(conn, requests_per_minute=None, shares=None)
    row = await the_endpoint(conn)
    assert (row["requests_per_minute"], row["shares"]) == (None, '{"chat": 0.3}')


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


@pytest.mark.parametrize("estimate", [-1, "NaN", "many", 1e300])
async def test_an_estimate_that_cannot_be_is_refused_with_its_job(conn: Connection, estimate: object) -> None:
    enqueue = "select holdfast.enqueue_jobs(array['t'], array['{}'::json], $1)"
    error = await refusal(conn, enqueue, to_json({"endpoint": "model", "estimate": estimate}))
    assert error.sqlstate == "HF002"


async def test_what_an_endpoint_did_more_than_six_hours_ago_is_forgotten(conn: Connection) -> None:
    await an_endpoint(conn)
    await conn.execute(
        "insert into holdfast.endpoint_seconds (endpoint, second)"
        " select 'model', extract(epoch from holdfast.now())::bigint - i * 3600"
        " from generate_series(0, 9) as i"
    )
    assert await conn.fetchval("select holdfast.prune_endpoints(2)") == 2
    assert await conn.fetchval("select holdfast.prune_endpoints()") in (1, 2)
    assert await conn.fetchval("select holdfast.prune_endpoints()") == 0
    assert await conn.fetchval("select count(*) from holdfast.endpoint_seconds") in (6, 7)


async def test_history_tells_what_happened_second_by_second(conn: Connection) -> None:
    await calls(conn, 2, estimate=5)
    worker = await a_caller(conn)
    for job in await claimed(conn, worker):
        await complete(conn, job)
    rows = await conn.fetch("select * from holdfast.endpoint_history('model')")
    assert sum(row["started"] for row in rows) == sum(row["ok"] for row in rows) == 2
    assert sum(row["units"] for row in rows) == 10
    assert (rows[-1]["in_flight"], rows[-1]["circuit"]) == (0, "closed")
