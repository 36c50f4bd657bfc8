"""The bars to an older commit, of each suite that measured one beside ours."""

from collections.abc import Iterator

from bench.bars.bar import Bar
from bench.result import OLDER, OURS, Results

LEAST = 0.97
MOST = 1.05  # WAL, buffers and statements of a job vary by some percent from run to run


def older_bars(results: Results) -> Iterator[Bar]:
    for system, name in results.figures:
        if system.startswith(OLDER) and (OURS, name) in results.figures:
            ratio = results.paired(OURS, system, name)
            if results.figures[OURS, name].more_is_better:
                yield Bar(name, ratio, least=LEAST, to=f"{system}'s")
            else:
                yield Bar(name, ratio, most=MOST, to=f"{system}'s")
