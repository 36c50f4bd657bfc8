"""`./dev bench SUITE`: runs a suite, prints its table, and writes its figures as JSON if asked."""

import argparse
import sys
from pathlib import Path

from bench.result import Results, as_json, as_table
from bench.suites import SUITES


def main() -> int:
    asked = _arguments()
    results = Results(asked.suite)
    SUITES[asked.suite](results, asked)
    print(results.report or as_table(results))
    if asked.json:
        asked.json.write_text(as_json(results), encoding="utf-8")
    return 1 if results.missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument(
        "--runs", type=int, default=3, help="rounds, interleaved over the systems (default 3)"
    )
    parser.add_argument("--jobs", type=int, default=20_000, help="jobs per round (default 20,000)")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="flow: seeds (default 41 to 50)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
