from dataclasses import replace

import pytest

from bench.flow.bars import GOODPUT, bars
from bench.flow.best import best_known
from bench.flow.clock import Clock
from bench.flow.measure import NEVER, Figures, measure, recovery
from bench.flow.others import Fixed
from bench.flow.ours import Ours
from bench.flow.scenarios import KNOWN, LONG_OUTAGE, SCENARIOS, Scenario
from bench.flow.simulation import Record, Simulation
from tests.flow.model import Circuit


def scenario(name: str) -> Scenario:
    (found,) = (scenario for scenario in SCENARIOS if scenario.name == name)
    return found


def test_actions_run_in_the_order_of_their_times() -> None:
    clock, seen = Clock(), list[str]()
    clock.after(2.0, lambda: seen.append("second"))
    clock.after(1.0, lambda: seen.append("first"))
    clock.after(2.0, lambda: seen.append("third"))
    clock.after(9.0, lambda: seen.append("never"))
    clock.run(until=5.0)
    assert seen == ["first", "second", "third"]


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [Simulation(scenario("outage"), Ours(7), 3, 7).run() for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0] != Simulation(scenario("outage"), Ours(8), 3, 8).run()


def test_every_phase_has_a_known_best_and_every_scenario_a_bar() -> None:
    assert set(best_known()) == set(KNOWN)
    assert {phase.known for scenario in SCENARIOS for phase in scenario.phases} <= set(KNOWN)
    assert {scenario.name for scenario in SCENARIOS} == set(GOODPUT)


def test_the_best_static_limit_reaches_what_is_known_of_it() -> None:
    best = best_known()
    figures = measure(scenario("steady"), Fixed(best["two replicas"].limit, has_breaker=False), 1, 5, best)
    assert 97.0 < figures.goodput < 103.0


def test_flow_control_is_near_the_best_in_a_steady_day_and_beats_a_bad_limit() -> None:
    best = best_known()
    ours = measure(scenario("steady"), Ours(5), 3, 5, best)
    assert ours.goodput > 85.0
    assert ours.wasted < 8.0
    assert ours.goodput > measure(scenario("steady"), Fixed(4.0), 3, 5, best).goodput + 20.0


def test_a_long_outage_kills_no_job_and_loses_no_permit() -> None:
    controller = Ours(5, max_failures=3)
    no_bad_luck = replace(LONG_OUTAGE, conditions=replace(LONG_OUTAGE.conditions, errors=0.0))
    simulation = Simulation(no_bad_luck, controller, 10, 5, max_failures=3)
    record = simulation.run()
    assert record.dead == 0
    assert controller.endpoint.circuit is Circuit.CLOSED
    assert controller.endpoint.in_flight == simulation.running > 0


@pytest.mark.parametrize("workers", [1, 10])
def test_jobs_that_always_fail_are_dead_in_the_end_and_the_endpoint_is_used_all_the_same(
    workers: int,
) -> None:
    no_bad_luck = replace(scenario("steady").conditions, errors=0.0)
    poisoned = replace(scenario("steady"), poison=5, conditions=no_bad_luck)
    controller = Ours(5)
    figures = measure(poisoned, controller, workers, 5, best_known())
    assert figures.dead == 5
    assert figures.goodput > 60.0, "it cannot know at first that the endpoint is not overloaded"
    assert controller.endpoint.circuit is Circuit.CLOSED


def test_recovery_begins_where_twenty_good_seconds_begin() -> None:
    bad, good = [0.0] * 100, [8.0] * 100
    assert recovery(Record(useful_slots=bad + bad + good), 50.0) == 46.0
    assert recovery(Record(useful_slots=bad + bad), 50.0) == NEVER


def test_a_missed_bar_is_seen() -> None:
    figures = Figures(goodput=88.4, wasted=4.0, recovery=None, dead=0.0)
    means = {("flow", name): figures for name in GOODPUT}
    missed = [bar.what for bar in bars(means, {1: 0, 10: 1}) if not bar.is_met]
    assert missed == [
        "steady: goodput, % of the oracle",
        "bursts: goodput, % of the oracle",
        "mean goodput, % of the oracle",
        "300 s outage, 3 attempts, 10 processes: dead jobs",
    ]
