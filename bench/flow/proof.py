"""The same scenarios on real rows in PostgreSQL, where every step is compared with the model."""

import sys
from asyncio import Runner
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import asyncpg

from bench.flow.bars import Bar
from bench.flow.best import Best
from bench.flow.measure import Figures, measure
from bench.flow.ours import Ours
from bench.flow.scenarios import LONG_OUTAGE, Scenario
from bench.flow.simulation import Simulation
from bench.flow.stored import Mismatch, Stored
from bench.server import server
from holdfast.testing import fresh_database

WORKERS = 3
BELOW_THE_MODEL = 3.0  # points: the queue's own retry delays differ from the simulation's


@dataclass(frozen=True, slots=True)
class Run:
    """One scenario on the database, and the same on the model alone."""

    scenario: str
    stored: Figures
    modelled: Figures
    steps: int


@dataclass(frozen=True, slots=True)
class Proof:
    runs: Sequence[Run]
    dead_in_outage: int
    mismatches: Sequence[str]

    def bars(self) -> Iterator[Bar]:
        yield Bar("on PostgreSQL: mismatches with the model", len(self.mismatches), 0.0, is_least=False)
        yield Bar("on PostgreSQL: 300 s outage, dead jobs", self.dead_in_outage, 0.0, is_least=False)
        if self.runs:
            behind = sum(run.modelled.goodput - run.stored.goodput for run in self.runs) / len(self.runs)
            yield Bar(
                "on PostgreSQL: goodput below the model's, points", behind, BELOW_THE_MODEL, is_least=False
            )

    def __str__(self) -> str:
        steps = sum(run.steps for run in self.runs)
        lines = [
            f"{run.scenario:8} {run.stored.goodput:5.1f} % of the oracle, model {run.modelled.goodput:5.1f},"
            f" {run.stored.wasted:4.1f} % wasted, {run.steps:,} steps"
            for run in self.runs
        ]
        return "\n".join(
            [
                f"On PostgreSQL, {WORKERS} processes, real claims and completions under the fake clock:",
                *lines,
                f"{steps:,} steps compared with the model, mismatches: {len(self.mismatches)}",
                *self.mismatches,
            ]
        )


def prove(scenarios: Sequence[Scenario], seed: int, best: Mapping[str, Best]) -> Proof:
    runs, mismatches, dead = list[Run](), list[str](), 0
    with server() as url, Runner() as runner:
        for scenario in scenarios:
            print(f"bench: flow on PostgreSQL, {scenario.name} …", file=sys.stderr)
            try:
                with _stored(runner, url, seed) as stored:
                    figures = measure(scenario, stored, WORKERS, seed, best)
            except Mismatch as mismatch:
                mismatches.append(f"{scenario.name}: {mismatch}")
                continue
            modelled = measure(scenario, Ours(seed), WORKERS, seed, best)
            runs.append(Run(scenario.name, figures, modelled, stored.steps))
        try:
            with _stored(runner, url, seed, max_failures=3) as stored:
                dead = Simulation(LONG_OUTAGE, stored, 10, seed, max_failures=3).run().dead
        except Mismatch as mismatch:
            mismatches.append(f"{LONG_OUTAGE.name}: {mismatch}")
    return Proof(runs, dead, mismatches)


@contextmanager
def _stored(runner: Runner, url: str, seed: int, max_failures: int = 5) -> Iterator[Stored]:
    """The controller on a database of its own."""
    database = fresh_database(url)
    conn = runner.run(asyncpg.connect(runner.run(database.__aenter__())))
    try:
        yield Stored(runner, conn, seed, max_failures)
    finally:
        runner.run(conn.close())
        runner.run(database.__aexit__(None, None, None))
