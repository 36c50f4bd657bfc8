"""The command line of `./dev bench`; what cannot be meant is refused before anything is measured."""

import argparse
import math
from pathlib import Path

from bench.peers.environment import OTHER_PEERS, POSTGRES_PEERS
from bench.suites import SUITES
from bench.suites.held import PEERS as HELD_PEERS
from bench.suites.mixed import PEERS as MIXED_PEERS

WHOLE_RUNS = 3
# depth makes its own number of pairs as soon as it is asked for more than one.
WHOLE_RUNS_OF = {"depth": 2}
ON_POSTGRES = tuple(peer.name for peer in POSTGRES_PEERS)
ON_OTHERS = tuple(peer.name for peer in OTHER_PEERS)
ONLY = {"peers": ON_POSTGRES + ON_OTHERS, "held": HELD_PEERS, "mixed": MIXED_PEERS}
AGAINST = ("mixed", "drain")


def arguments() -> argparse.Namespace:
    parser = _parser()
    asked = parser.parse_args()
    if not asked.suite and not asked.write_docs:
        parser.error("name a suite, or say --write-docs")
    if asked.only:
        _check_only(parser, asked)
    if asked.against and asked.suite not in AGAINST:
        parser.error(f"--against is for {' and '.join(AGAINST)}")
    if asked.write_docs:
        _check_whole(parser, asked)
    return asked


def _check_only(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> None:
    known = ONLY.get(asked.suite, ())
    if not known:
        parser.error(f"--only is for {', '.join(ONLY)}")
    if unknown := [name for name in asked.only if name not in known]:
        parser.error(f"--only: {asked.suite} has no {', '.join(unknown)}; it knows {', '.join(known)}")
    if not asked.redis and (others := [name for name in asked.only if name in ON_OTHERS]):
        parser.error(f"--only: {', '.join(others)} is measured with --redis only")


def _check_whole(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> None:
    """The page shows whole measurements only: part of one would stand there as if it were all."""
    least = WHOLE_RUNS_OF.get(asked.suite, WHOLE_RUNS)
    parts = {
        "--only": asked.only,
        f"--runs below {least}": asked.runs < least,
        "--scale": asked.scale != 1,
    }
    for part, is_asked in parts.items():
        if is_asked:
            parser.error(f"--write-docs does not go with {part}: the page shows whole measurements only")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number


def _scale(text: str) -> float:
    number = float(text)
    if not 0.001 <= number < math.inf:  # ten jobs where there are ten thousand
        raise argparse.ArgumentTypeError(f"{text} is below 0.001, or no number")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="Runs a suite, prints its table, and writes its figures if asked."
    )
    add = parser.add_argument
    add("suite", choices=sorted(SUITES), nargs="?")
    add("--runs", type=_count, default=3, help="rounds, interleaved over the systems (default 3)")
    add("--jobs", type=_count, default=20_000, help="jobs per round (default 20,000)")
    add("--redis", action="store_true", help="peers: those on Redis and SQLite, too")
    add("--only", nargs="+", metavar="PEER", help="peers, held, mixed: these and no others")
    add("--against", metavar="COMMIT", help="mixed, drain: plain jobs at an older commit, too")
    add(
        "--seconds",
        type=_count,
        help="of single enqueues (peers 3, api 5); held: in all (120); watchers (20)",
    )
    add("--minutes", type=_count, help="held: the same in minutes")
    add("--scale", type=_scale, default=1.0, help="depth, load, dashboard: of their numbers of jobs")
    add("--requests", type=_count, default=40, help="dashboard: of each page (default 40)")
    add("--seeds", type=int, nargs="+", metavar="N", help="flow: seeds (default 41 to 45)")
    add("--no-sql", action="store_true", help="flow: leave out the runs on PostgreSQL")
    add("--docs", action="store_true", help="flow: write table and chart into the guide")
    add("--real", action="store_true", help="flow: one scenario in real time instead, over HTTP")
    add("--json", type=Path, metavar="FILE", help="also write the figures here")
    add("--write-docs", action="store_true", help="save the figures, if any, and write docs/benchmarks.md")
    return parser
