"""`./dev bench SUITE`: runs a suite, prints its table, and writes its figures as JSON if asked."""

import argparse
import sys
from pathlib import Path

from bench.bars import bars_of
from bench.bars.bar import checklist
from bench.page import save, write_page
from bench.result import Results, as_json, as_table
from bench.suites import SUITES


def main() -> int:
    asked = _arguments()
    missed = _run(asked) if asked.suite else []
    if asked.write_docs:
        write_page()
    return 1 if missed else 0


def _run(asked: argparse.Namespace) -> list[str]:
    """The bars that were missed."""
    results = Results(asked.suite)
    SUITES[asked.suite](results, asked)
    print(results.report or as_table(results))
    if asked.json:
        asked.json.write_text(as_json(results), encoding="utf-8")
    if asked.write_docs:
        save(results)
    bars = bars_of(results)
    if bars:
        print("\n" + checklist(bars))
    missed = results.missed + [str(bar) for bar in bars if not bar.is_met]
    for what in missed:
        print(f"bench: missed: {what}", file=sys.stderr)
    return missed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("suite", choices=sorted(SUITES), nargs="?")
    parser.add_argument(
        "--runs", type=int, default=3, help="rounds, interleaved over the systems (default 3)"
    )
    parser.add_argument("--jobs", type=int, default=20_000, help="jobs per round (default 20,000)")
    parser.add_argument("--redis", action="store_true", help="peers: those on Redis and SQLite, too")
    parser.add_argument("--only", nargs="+", metavar="PEER", help="peers, held: these and no others")
    parser.add_argument("--seconds", type=int, help="peers: of single enqueues (3); held: in all (120)")
    parser.add_argument("--minutes", type=int, help="held: the same in minutes")
    parser.add_argument("--scale", type=float, default=1.0, help="depth, load: of their numbers of jobs")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="flow: seeds (default 41 to 45)")
    parser.add_argument("--no-sql", action="store_true", help="flow: leave out the runs on PostgreSQL")
    parser.add_argument("--docs", action="store_true", help="flow: write table and chart into the guide")
    parser.add_argument(
        "--real", action="store_true", help="flow: one scenario in real time instead, over HTTP"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    parser.add_argument(
        "--write-docs", action="store_true", help="save the figures, if any, and write docs/benchmarks.md"
    )
    asked = parser.parse_args()
    if not asked.suite and not asked.write_docs:
        parser.error("name a suite, or say --write-docs")
    return asked


if __name__ == "__main__":
    sys.exit(main())
