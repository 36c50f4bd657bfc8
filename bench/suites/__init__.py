"""The suites, by name. Each takes from the command line what concerns it."""

from argparse import Namespace
from collections.abc import Callable

from bench.result import Results
from bench.suites.drain import drain
from bench.suites.flow import SEEDS, flow

SUITES: dict[str, Callable[[Results, Namespace], None]] = {
    "drain": lambda results, asked: drain(results, runs=asked.runs, jobs=asked.jobs),
    "flow": lambda results, asked: flow(results, asked.seeds or SEEDS),
}
