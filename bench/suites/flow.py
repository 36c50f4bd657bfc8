"""flow: ours and five other controllers through nine scenarios in virtual time, and the bars for ours."""

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
from bench.result import OURS, Results

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


def flow(results: Results, seeds: Sequence[int]) -> None:
    best = best_known()
    means = {
        (controller, scenario.name): _mean(controller, scenario, seeds, best)
        for controller in CONTROLLERS
        for scenario in SCENARIOS
    }
    for (controller, scenario), figures in means.items():
        _add(results, controller, scenario, figures)
    found = list(bars(means, _dead_in_long_outage(seeds[:3])))
    results.settings["seeds"] = " ".join(map(str, seeds))
    results.report = f"{table(means, [*CONTROLLERS], [s.name for s in SCENARIOS])}\n\n{checklist(found)}"
    results.missed = [bar.what for bar in found if not bar.is_met]


def _mean(controller: str, scenario: Scenario, seeds: Sequence[int], best: Mapping[str, Best]) -> Figures:
    print(f"bench: flow, {controller}, {scenario.name} …", file=sys.stderr)
    make = CONTROLLERS[controller]
    return mean([measure(scenario, make(seed), workers, seed, best) for workers in WORKERS for seed in seeds])


def _add(results: Results, controller: str, scenario: str, figures: Figures) -> None:
    system = OURS if controller == "flow" else controller
    results.add(system, "", f"{scenario}_goodput", "% of the best", figures.goodput)
    results.add(system, "", f"{scenario}_wasted_calls", "%", figures.wasted)
    if figures.recovery is not None:
        results.add(system, "", f"{scenario}_recovery", "s", figures.recovery)


def _dead_in_long_outage(seeds: Sequence[int]) -> dict[int, int]:
    """Jobs that 300 s of outage killed with three attempts each, by number of worker processes."""
    return {
        workers: sum(
            Simulation(LONG_OUTAGE, Ours(seed, max_failures=3), workers, seed, max_failures=3).run().dead
            for seed in seeds
        )
        for workers in (1, 10)
    }
