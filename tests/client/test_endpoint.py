"""What an app says about its endpoints, and how jobs come to name one."""

import json
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.endpoint import endpoint_wire
from holdfast.db.connect import Database
from holdfast.db.endpoints import (
    close_endpoint,
    endpoint_history,
    get_endpoint,
    list_endpoints,
    open_endpoint,
)
from holdfast.model.endpoint import Circuit, Mode
from holdfast.model.error import InvalidOption, NotFound

LANE = "select l.endpoint, l.queue, j.estimate from holdfast.jobs as j join holdfast.lanes as l using (lane)"


async def test_settings_arrive_with_the_keys_given_and_no_others(app: Holdfast, db: Database) -> None:
    app.endpoint(
        "ollama",
        mode="aimd",
        min=2,
        max=32,
        requests_per_minute=600,
        units_per_minute=1e6,
        budget="20 USD/day",
        price=0.002,
        estimate=500,
        shares={"chat": 0.3},
        breaker={"failures": 7, "quiet": "1m", "open": 60, "open_max": "2m"},
    )
    app.endpoint("small", preset="dev")
    await app.declare()
    ollama, small = await list_endpoints(db, 100)
    assert (ollama.name, ollama.mode, ollama.circuit) == ("ollama", Mode.AIMD, Circuit.CLOSED)
    assert (ollama.min, ollama.max, ollama.requests_per_minute) == (2, 32, 600)
    assert (ollama.units_per_minute, ollama.budget_per_day, ollama.price) == (1e6, 20, 0.002)
    assert (ollama.estimate, ollama.shares) == (500, {"chat": 0.3})
    assert (small.limit, small.min, small.max) == (1, 1, 3)
    (row,) = await db.fetch("select * from holdfast.endpoints where name = 'ollama'")
    breaker = (row["trip_failures"], row["trip_quiet"], row["open_first"], row["open_max"])
    assert breaker == (7, 60, 60, 120)

    app.endpoint("ollama", max=16)
    await app.declare()
    again = await get_endpoint(db, "ollama")
    assert (again.max, again.requests_per_minute) == (16, 600)


@pytest.mark.parametrize(
    ("budget", "wire"),
    [(20, 20.0), (0.5, 0.5), ("20 USD/day", 20.0), ("1.5 eur / day", 1.5), ("$3 per day", 3.0), (None, None)],
)
def test_a_budget_is_money_per_day(budget: Any, wire: float | None) -> None:
    assert endpoint_wire("x", {"budget": budget}) == {"budget_per_day": wire}


@pytest.mark.parametrize(
    "settings",
    [
        {"colour": "red"},
        {"budget": "much"},
        {"budget": "20 USD/month"},
        {"budget": True},
        {"breaker": {"fuse": 1}},
        {"breaker": {"open": "soon"}},
    ],
)
def test_settings_that_cannot_be_are_refused_at_once(settings: Any) -> None:
    with pytest.raises(InvalidOption):
        Holdfast().endpoint("ollama", **settings)


async def test_settings_out_of_range_are_refused_by_the_database(app: Holdfast) -> None:
    app.endpoint("ollama", min=5, max=2)
    with pytest.raises(InvalidOption):
        await app.declare()


async def test_a_tasks_endpoint_goes_with_each_job_before_anything_is_declared(
    app: Holdfast, db: Database
) -> None:
    @app.task(endpoint="ollama", queue="bulk")
    async def ask() -> None: ...

    await ask.enqueue()
    assert [tuple(row) for row in await db.fetch(LANE)] == [("ollama", "bulk", None)]
    await app.declare()
    assert [row[0] for row in await db.fetch("select endpoint from holdfast.tasks")] == ["ollama"]


async def test_options_name_another_endpoint_and_an_estimate(app: Holdfast, db: Database) -> None:
    app.queue("bulk", endpoint="ollama")

    @app.task(queue="bulk")
    async def ask() -> None: ...

    await app.declare()
    await ask.options(endpoint="openai", estimate=1200).enqueue()
    await ask.enqueue()
    rows = await db.fetch(f"{LANE} order by l.endpoint")
    assert [tuple(row) for row in rows] == [("ollama", "bulk", None), ("openai", "bulk", 1200)]


@pytest.mark.parametrize("estimate", [-1, "many", True, float("nan")])
def test_an_estimate_that_is_no_amount_is_refused(estimate: Any) -> None:
    app = Holdfast()

    @app.task()
    async def ask() -> None: ...

    with pytest.raises(InvalidOption):
        ask.options(estimate=estimate)


async def test_an_endpoint_is_held_open_and_closed_in_somebodys_name(db: Database) -> None:
    await db.execute("select holdfast.declare_endpoint('ollama')")
    await open_endpoint(db, "ollama", "a new model", "Ada")
    assert (await get_endpoint(db, "ollama")).circuit is Circuit.HELD_OPEN
    await close_endpoint(db, "ollama", None, "Ada")
    assert (await get_endpoint(db, "ollama")).circuit is Circuit.CLOSED
    events = await db.fetch("select cause, actor, reason, detail from holdfast.events order by at")
    assert [(row["cause"], row["actor"], row["reason"]) for row in events] == [
        ("endpoint_open", "Ada", "a new model"),
        ("endpoint_close", "Ada", None),
    ]
    assert json.loads(events[0]["detail"]) == {"endpoint": "ollama"}
    assert await endpoint_history(db, "ollama") == []
    for verb in (open_endpoint, close_endpoint):
        with pytest.raises(NotFound):
            await verb(db, "nowhere", None, "Ada")
    with pytest.raises(NotFound):
        await get_endpoint(db, "nowhere")
