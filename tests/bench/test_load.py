"""A round of load on a server of its own: the kill hits a worker that holds jobs, and none is lost."""

import pytest

from bench import server
from bench.result import OURS, Results
from bench.stores import stores
from bench.suites.load import _round as one_round

pytestmark = [pytest.mark.slow, pytest.mark.alone]
SIZE, DEPTH = 1, 3_000


def test_the_worker_that_is_killed_held_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MEMORY", ())
    results = Results("load")
    with stores() as places:
        one_round(results, places, SIZE, DEPTH, workers=1, name="here")
    # In each slot one that runs; one claimed ahead, and one whose end is not committed yet.
    assert 1 <= results.median(OURS, "held_at_kill_here") <= 3 * SIZE
    assert results.median(OURS, "after_kill_here") > 1  # they came back when its lease was over
    assert results.median(OURS, "rate_here") > 0
