"""The scenarios on real rows: claims and ends under the fake clock agree with the model on every step."""

from asyncio import Runner
from collections.abc import Iterator
from dataclasses import replace

import asyncpg
import pytest

from bench.flow.scenarios import LONG_OUTAGE, SCENARIOS, Scenario
from bench.flow.simulation import Simulation
from bench.flow.stored import Mismatch, Stored
from holdfast.db.connect import Connection
from tests.database import fresh_database
from tests.flow.model import Circuit

STEADY, _, OUTAGE, BUDGET = SCENARIOS[:4]


@pytest.fixture
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.fixture
def own(runner: Runner, server_url: str, template: str) -> Iterator[Connection]:
    """A connection to a database of its own, for a test that has no event loop running."""
    database = fresh_database(server_url, template)
    conn = runner.run(asyncpg.connect(runner.run(database.__aenter__())))
    yield conn
    runner.run(conn.close())
    runner.run(database.__aexit__(None, None, None))


def shortened(scenario: Scenario, begins: float, seconds: float) -> Scenario:
    """Its changes so much earlier, and an early end."""
    changes = tuple((max(0.0, at - begins), change) for at, change in scenario.changes)
    return replace(scenario, seconds=seconds, changes=changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario",
    [
        shortened(STEADY, 0, 300),
        shortened(OUTAGE, 480, 400),
        shortened(BUDGET, 200, 300),
        replace(shortened(OUTAGE, 300, 500), name="poison", poison=5),
    ],
    ids=lambda scenario: scenario.name,
)
def test_real_claims_and_completions_agree_with_the_model(
    runner: Runner, own: Connection, scenario: Scenario
) -> None:
    stored = Stored(runner, own, seed=7)
    record = Simulation(scenario, stored, 3, 7).run()
    assert record.calls > 50
    assert stored.steps > record.calls, "an admission is a step, and so is every end"


@pytest.mark.slow
def test_a_changed_constant_is_noticed_by_a_scenario(runner: Runner, own: Connection) -> None:
    source = runner.run(own.fetchval("select pg_get_functiondef('holdfast.cut'::regproc)"))
    assert "0.75" in source
    runner.run(own.execute(source.replace("0.75", "0.74")))
    stored = Stored(runner, own, seed=7)
    with pytest.raises(Mismatch, match="limit is"):
        Simulation(shortened(STEADY, 0, 600), stored, 3, 7).run()


@pytest.mark.slow
def test_five_minutes_of_outage_kill_no_job_that_has_three_attempts(runner: Runner, own: Connection) -> None:
    conditions = replace(LONG_OUTAGE.conditions, errors=0.0)  # else a job may fail three times by chance
    stored = Stored(runner, own, seed=7, max_failures=3)
    simulation = Simulation(replace(LONG_OUTAGE, conditions=conditions), stored, 10, 7, max_failures=3)
    assert simulation.run().dead == 0
    assert stored.endpoint.circuit is Circuit.CLOSED
    assert stored.endpoint.in_flight == simulation.running > 0
    assert runner.run(own.fetchval("select count(*) from holdfast.attempts where outcome = 'deferred'")) > 10
