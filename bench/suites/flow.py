"""flow: ours and five other controllers through nine scenarios in virtual time, and the bars for ours.

Ours runs as the model of the rules, many times, and once on PostgreSQL, compared with the model step by step.
"""

import sys
from collections.abc import Callable, Mapping, Sequence

from bench.flow import guide
from bench.flow.bars import bars
from bench.flow.best import Best, best_known
from bench.flow.controller import Controller
from bench.flow.measure import Figures, mean, measure
from bench.flow.others import Aimd, AimdSimple, Fixed, Gradient2, Vegas
from bench.flow.ours import Ours
from bench.flow.proof import Proof, prove
from bench.flow.report import checklist, table
from bench.flow.scenarios import LONG_OUTAGE, SCENARIOS, WEAK_SPOTS, Scenario
from bench.flow.simulation import Simulation
from bench.result import OURS, Results

WORKERS = (1, 3, 10)
SEEDS = (41, 42, 43, 44, 45)
OUTAGE_SEEDS = (51, 52, 53)  # whatever the others: with 3 % errors a job of many runs dies by chance

CONTROLLERS: Mapping[str, Callable[[int], Controller]] = {
    "fixed 10": lambda _: Fixed(10.0),
    "aimd": lambda _: Aimd(),
    "aimd_simple": lambda _: AimdSimple(),
    "Gradient2": lambda _: Gradient2(),
    "Vegas": Vegas,
    "flow": Ours,
}


def flow(
    results: Results, seeds: Sequence[int] | None = None, *, on_database: bool = True, docs: bool = False
) -> None:
    """Without seeds: those of the bars. `docs` writes the table and the chart into the guide."""
    best, names = best_known(), [scenario.name for scenario in SCENARIOS]
    means = {
        (controller, scenario.name): _mean(controller, scenario, seeds or SEEDS, best)
        for controller in CONTROLLERS
        for scenario in SCENARIOS
    }
    means |= {("flow", spot.name): _mean("flow", spot, seeds or SEEDS, best) for spot in WEAK_SPOTS}
    for (controller, name), figures in means.items():
        _add(results, controller, name, figures)
    proof = prove(SCENARIOS, (seeds or SEEDS)[0], best) if on_database else None
    found = list(bars(means, _dead_in_long_outage(OUTAGE_SEEDS)))
    found += [] if proof is None else proof.bars()
    results.settings["seeds"] = " ".join(map(str, seeds or SEEDS))
    results.report = "\n\n".join([table(means, [*CONTROLLERS], names), *_shown(proof), checklist(found)])
    results.missed = [bar.what for bar in found if not bar.is_met]
    if docs:
        guide.write(means, [*CONTROLLERS], names)


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


def _shown(proof: Proof | None) -> list[str]:
    return [] if proof is None else [str(proof)]
