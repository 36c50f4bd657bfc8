"""The bars of the suites, by name: what our figures must reach, computed from any saved result."""

from collections.abc import Callable, Iterable

from bench.bars.api import api_bars
from bench.bars.bar import Bar
from bench.bars.dashboard import dashboard_bars
from bench.bars.depth import depth_bars
from bench.bars.held import held_bars
from bench.bars.limit import limit_bars
from bench.bars.mixed import mixed_bars
from bench.bars.older import older_bars
from bench.bars.peers import peers_bars
from bench.bars.permit import permit_bars
from bench.bars.pipeline import pipeline_bars
from bench.result import Results

BARS: dict[str, Callable[[Results], Iterable[Bar]]] = {
    "peers": peers_bars,
    "limit": limit_bars,
    "depth": depth_bars,
    "held": held_bars,
    "mixed": mixed_bars,
    "permit": permit_bars,
    "pipeline": pipeline_bars,
    "api": api_bars,
    "dashboard": dashboard_bars,
}


def bars_of(results: Results) -> list[Bar]:
    """In the order in which they are listed; then those to an older commit, if one was measured."""
    own = BARS[results.suite](results) if results.suite in BARS else ()
    return [*own, *older_bars(results)]
