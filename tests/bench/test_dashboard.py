"""A small round of `dashboard`: a figure for each page, and what watchers cost."""

import pytest

from bench import server
from bench.bars import bars_of
from bench.result import Results
from bench.suites.dashboard import dashboard
from tests.dashboard.samples import SAMPLES
from tests.plan.large_world import Size

pytestmark = [pytest.mark.slow, pytest.mark.alone]

TINY = Size(ended=500, ready=100, queues=3, workers=3, fingerprints=5, letters=20, endpoints=2, hours=1)


def test_a_round_has_a_figure_for_each_page_and_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MEMORY", ())
    results = Results("dashboard")
    dashboard(results, 2, 1.0, 2, TINY)
    assert {name.split(" ")[0] for _, name in results.figures} >= SAMPLES.keys()
    assert len(bars_of(results)) == len(SAMPLES) + 1
    assert all(figure.median > 0 for figure in results.figures.values())
