"""The suites, by name. Each takes from the command line what concerns it."""

from argparse import Namespace
from collections.abc import Callable

from bench.result import Results
from bench.suites.api import api
from bench.suites.calls import calls
from bench.suites.dashboard import dashboard
from bench.suites.depth import depth
from bench.suites.detail import detail
from bench.suites.drain import drain
from bench.suites.flow import flow
from bench.suites.held import held
from bench.suites.limit import limit
from bench.suites.load import load
from bench.suites.mixed import mixed
from bench.suites.peers import peers
from bench.suites.permit import permit
from bench.suites.pipeline import pipeline
from bench.suites.real import real

SUITES: dict[str, Callable[[Results, Namespace], None]] = {
    "peers": lambda results, asked: peers(
        results, asked.runs, asked.jobs, asked.seconds or 3, redis=asked.redis, only=asked.only
    ),
    "limit": lambda results, asked: limit(results, runs=asked.runs, jobs=asked.jobs),
    "depth": lambda results, asked: depth(results, runs=asked.runs, scale=asked.scale),
    "held": lambda results, asked: held(results, asked.runs, _held_seconds(asked), only=asked.only),
    "mixed": lambda results, asked: mixed(
        results, asked.runs, asked.jobs, only=asked.only, against=asked.against
    ),
    "load": lambda results, asked: load(results, runs=asked.runs, scale=asked.scale),
    "api": lambda results, asked: api(results, asked.runs, asked.jobs, asked.seconds or 5),
    "dashboard": lambda results, asked: dashboard(results, asked.requests, asked.scale, asked.seconds or 20),
    "calls": lambda results, asked: calls(results, runs=asked.runs, jobs=asked.jobs),
    "detail": lambda results, asked: detail(results, runs=asked.runs, jobs=asked.jobs),
    "drain": lambda results, asked: drain(results, asked.runs, asked.jobs, against=asked.against),
    "pipeline": lambda results, asked: pipeline(results, runs=asked.runs, jobs=asked.jobs),
    "permit": lambda results, asked: permit(results, runs=asked.runs),
    "flow": lambda results, asked: (
        real(results)
        if asked.real
        else flow(results, asked.seeds, on_database=not asked.no_sql, docs=asked.docs)
    ),
}


def _held_seconds(asked: Namespace) -> int:
    return int(60 * asked.minutes) if asked.minutes else int(asked.seconds or 120)
