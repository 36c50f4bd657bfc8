"""All controllers through all scenarios; the tables; whether every bar is met."""

import sys
from collections.abc import Callable, Mapping, Sequence

from bench.flow.bars import bars
from bench.flow.best import Best, best_known
from bench.flow.controller import Controller
from bench.flow.measure import Figures, mean, measure
from bench.flow.others import Aimd, AimdSimple, Fixed, Gradient2, Vegas
from bench.flow.ours import Ours
from bench.flow.report import checklist, table
from bench.flow.scenarios import LONG_OUTAGE, SCENARIOS, Scenario
from bench.flow.simulation import Simulation

WORKERS = (1, 3, 10)
SEEDS = tuple(range(41, 51))

CONTROLLERS: Mapping[str, Callable[[int], Controller]] = {
    "fixed 10": lambda _: Fixed(10.0),
    "aimd": lambda _: Aimd(),
    "aimd_simple": lambda _: AimdSimple(),
    "Gradient2": lambda _: Gradient2(),
    "Vegas": Vegas,
    "flow": Ours,
}


def run(seeds: Sequence[int], controllers: Sequence[str]) -> bool:
    """Prints the tables; True if every bar is met."""
    best = best_known()
    means = {
        (controller, scenario.name): _mean(controller, scenario, seeds, best)
        for controller in controllers
        for scenario in SCENARIOS
    }
    found = list(bars(means, dead_in_long_outage(seeds[:3])))
    print(table(means, controllers, [scenario.name for scenario in SCENARIOS]))
    print(checklist(found))
    return all(bar.is_met for bar in found)


def _mean(controller: str, scenario: Scenario, seeds: Sequence[int], best: Mapping[str, Best]) -> Figures:
    print(f"bench: flow, {controller}, {scenario.name} …", file=sys.stderr)
    make = CONTROLLERS[controller]
    return mean([measure(scenario, make(seed), workers, seed, best) for workers in WORKERS for seed in seeds])


def dead_in_long_outage(seeds: Sequence[int]) -> dict[int, int]:
    """Jobs that 300 s of outage killed although they may fail only twice, by number of worker processes."""
    return {
        workers: sum(
            Simulation(LONG_OUTAGE, Ours(seed, max_failures=3), workers, seed, 3).run().dead for seed in seeds
        )
        for workers in (1, 10)
    }
