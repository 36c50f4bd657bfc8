"""A peer that breaks is named and left out; the others go on."""

import sys

from bench.result import OURS, Results
from bench.system import SystemFailed


def leave_out(results: Results, failed: SystemFailed, figure: str) -> None:
    """Notes why a peer has no more figures. Without ours there is nothing to compare: then it raises."""
    if failed.system == OURS:
        raise failed
    results.failures[failed.system] = f"{figure}: {failed.what}"
    print(f"bench: {failed.system} is left out from here on: {failed}", file=sys.stderr)
