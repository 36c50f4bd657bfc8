"""`./dev bench SUITE`: runs a suite, prints its table, and writes its figures as JSON if asked.

Exit code 0: all bars are met. 1: a bar was missed, a system failed, or the suite did. 2: it could not begin.
"""

import argparse
import signal
import sys
import traceback

from bench.arguments import arguments
from bench.bars import bars_of
from bench.bars.bar import checklist
from bench.page import save, write_page
from bench.result import Results, as_json, as_table, failures_of
from bench.suites import SUITES
from bench.system import SystemFailed
from bench.unavailable import Unavailable


def main() -> int:
    asked = arguments()
    if not asked.suite:
        write_page()
        return 0
    results = Results(asked.suite)
    try:
        SUITES[asked.suite](results, asked)
    except (Exception, KeyboardInterrupt) as error:
        _show(results, asked)
        return _failed(error)
    _show(results, asked)
    if asked.write_docs:
        save(results)
        write_page()
    return 1 if _missed(results) or results.failures else 0


def _show(results: Results, asked: argparse.Namespace) -> None:
    """Also what there is of a suite that failed: some were measured for an hour."""
    if results.report or results.figures or results.failures:
        print(results.report or as_table(results))
    if asked.json:
        asked.json.write_text(as_json(results), encoding="utf-8")
    for failure in failures_of(results):
        print(f"bench: {failure}", file=sys.stderr)


def _failed(error: BaseException) -> int:
    """Says why; a traceback only helps with an unexpected error."""
    if isinstance(error, KeyboardInterrupt):
        print("bench: failed: it was interrupted", file=sys.stderr)
        return 1
    if not isinstance(error, SystemFailed | Unavailable):
        traceback.print_exception(error)
    print(f"bench: failed: {str(error) or type(error).__name__}", file=sys.stderr)
    return 2 if isinstance(error, Unavailable) else 1


def _missed(results: Results) -> list[str]:
    """The bars that were missed, said aloud."""
    bars = bars_of(results)
    if bars:
        print("\n" + checklist(bars))
    missed = results.missed + [str(bar) for bar in bars if not bar.is_met]
    for what in missed:
        print(f"bench: missed: {what}", file=sys.stderr)
    return missed


if __name__ == "__main__":
    # As Ctrl-C does, also in a background job, so that no server and no worker is left behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
