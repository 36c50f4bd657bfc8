"""The oracle: the best static limit for each known condition, found by trying them all.

`python -m bench.flow.best` searches again and writes best.json (some minutes).
"""

import json
from dataclasses import dataclass
from pathlib import Path

from bench.flow.others import Fixed
from bench.flow.scenarios import KNOWN, Scenario, bursts
from bench.flow.simulation import Simulation

FILE = Path(__file__).with_name("best.json")
SEEDS = (101, 102, 103)
SECONDS = 2400.0
HIGHEST = 28
BEYOND = 6  # limits without a better one end the search


@dataclass(frozen=True, slots=True)
class Best:
    limit: int
    units_per_second: float


def best_known() -> dict[str, Best]:
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: Best(entry["limit"], entry["units_per_second"]) for name, entry in found.items()}


def search() -> dict[str, Best]:
    return {name: _best(name) for name in KNOWN}


def _best(name: str) -> Best:
    best = Best(0, 0.0)
    for limit in range(1, HIGHEST + 1):
        rate = sum(_units_per_second(name, limit, seed) for seed in SEEDS) / len(SEEDS)
        if rate > best.units_per_second:
            best = Best(limit, rate)
        elif limit >= best.limit + BEYOND:
            break
    print(f"{name}: {best.limit} at once, {best.units_per_second:.1f} units/s", flush=True)
    return best


def _units_per_second(name: str, limit: int, seed: int) -> float:
    conditions, has_bursts = KNOWN[name]
    scenario = Scenario(name, SECONDS, conditions, (), bursts(SECONDS) if has_bursts else ())
    return Simulation(scenario, Fixed(limit, has_breaker=False), 1, seed).run().units / SECONDS


def main() -> None:
    found = {
        name: {"limit": best.limit, "units_per_second": round(best.units_per_second, 3)}
        for name, best in search().items()
    }
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
