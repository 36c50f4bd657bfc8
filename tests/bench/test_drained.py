"""A drain on a server of its own: it counts what the database recorded, and nothing else will do."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bench import server
from bench.drained import drain
from bench.peers.holdfast_uncounted_script import uncounted_tasks
from bench.stores import Stores, stores
from bench.system import SystemFailed, bare, ours, uncounted
from holdfast.maintenance import standard_tasks

pytestmark = [pytest.mark.slow, pytest.mark.alone]
JOBS = 60


@pytest.fixture(scope="module")
def places() -> Iterator[Stores]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "MEMORY", ())  # nothing is timed here, so that any directory will do
        with stores() as places:
            yield places


def test_two_workers_drain_all_jobs_and_are_metered(places: Stores) -> None:
    with places.fresh(ours()) as url:
        ours().call("bulk", url, JOBS)
        drained = drain(ours(), url, JOBS, workers=2)
        assert ours().call("count", url)["done"] == JOBS
    assert 0 < drained.seconds < 60
    assert drained.usage is not None
    assert drained.usage.statements > 0
    assert drained.usage.wal >= drained.usage.wal_of_statements > 0


def test_a_drain_that_recorded_another_number_is_an_error(places: Stores) -> None:
    with places.fresh(ours()) as url:
        ours().call("bulk", url, JOBS)
        with pytest.raises(SystemFailed, match=f"recorded {JOBS} of {JOBS - 1}"):
            drain(ours(), url, JOBS - 1, workers=1)


@pytest.mark.parametrize("kind", ["settle", "delete"])
def test_the_bare_loops_drain_as_much(places: Stores, kind: str) -> None:
    with places.fresh(bare(kind)) as url:
        bare(kind).call("bulk", url, JOBS)
        assert drain(bare(kind), url, JOBS, workers=1).seconds > 0


def test_an_uncounted_worker_drains_as_much_and_has_every_other_maintenance_task(places: Stores) -> None:
    with places.fresh(uncounted()) as url:
        uncounted().call("bulk", url, JOBS)
        assert drain(uncounted(), url, JOBS, workers=1).seconds > 0
    every = {task.name for task in standard_tasks(timedelta(1))}
    assert every - {task.name for task in uncounted_tasks(timedelta(1))} == {
        "summarise_ends",
        "sample_depths",
    }


def test_single_enqueues_are_all_stored(places: Stores) -> None:
    with places.fresh(ours()) as url:
        answer = ours().call("single", url, 0.2, 8)
        assert ours().call("count", url)["left"] == answer["jobs"] + 8
