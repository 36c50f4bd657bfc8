"""Every interleaving of the verbs keeps every invariant; and a protocol with a mistake in it does not."""

import pytest

from tests.proof.model_check.search import STUCK, Result, search
from tests.proof.model_check.world import Luck, Mistake

FEW = Luck(lost_answers=1, ended_leases=1, crashes=1, setbacks=1)
SOME = Luck(lost_answers=1, ended_leases=2, crashes=1, setbacks=1)
SETBACKS = Luck(lost_answers=0, ended_leases=1, crashes=1, setbacks=3)
MANY = Luck(lost_answers=2, ended_leases=2, crashes=2, setbacks=2)

FOUND_AS = {
    Mistake.NOBODY_RESCUES: STUCK,
    Mistake.DEAD_KEEP_THEIR_LEASE: STUCK,
    Mistake.ORPHANS_ARE_KEPT: STUCK,
    Mistake.OUTDATED_END: "an outdated token changed something",
    Mistake.OUTDATED_WRITE: "an outdated token changed something",
    Mistake.OUTDATED_EFFECT: "an outdated token changed something",
    Mistake.TOKEN_OUTLIVES_END: "running without worker and token, or the other way round",
    Mistake.RESCUE_OF_THE_RENEWED: "a live worker was robbed",
    Mistake.RESCUE_OF_THE_ENDED: "an ended job went on",
    Mistake.CANCEL_OF_THE_ENDED: "an ended job went on",
    Mistake.CANCEL_FORGOTTEN: "a job that was asked to cancel came back",
    Mistake.LOSSES_UNCOUNTED: "the losses are not those of workers that vanished",
    Mistake.LOSSES_UNLIMITED: "more losses than allowed",
    Mistake.FAILURES_UNLIMITED: "more failures than allowed",
    Mistake.FORGIVEN_TWICE: "the losses are not those of workers that vanished",
}
NEEDS = {Mistake.LOSSES_UNLIMITED: SOME, Mistake.FAILURES_UNLIMITED: SETBACKS}


@pytest.mark.parametrize(
    ("luck", "least"), [pytest.param(SOME, 30_000, marks=pytest.mark.slow), (SETBACKS, 10_000)]
)
def test_no_schedule_breaks_the_protocol(luck: Luck, least: int) -> None:
    result = search(luck)
    print(result)
    assert result.broken is None, str(result)
    assert len(result.origins) >= least, "the model has become trivial"
    assert has_pending_after_the_end(result), "nobody is left to do harm after the end"


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_no_schedule_with_more_faults_breaks_it_either() -> None:
    result = search(MANY)
    print(result)
    assert result.broken is None, str(result)


@pytest.mark.parametrize("mistake", Mistake, ids=lambda mistake: mistake.name.lower())
def test_a_planted_mistake_is_found(mistake: Mistake) -> None:
    result = search(NEEDS.get(mistake, FEW), mistake)
    print(mistake, result, sep="\n")
    assert result.broken == FOUND_AS[mistake]
    assert len(result.schedule) <= 8, "the shortest schedule is told"


def has_pending_after_the_end(result: Result) -> bool:
    """Ended jobs with a worker that does not know it, and with a rescuer that is about to act."""
    ended = [world for world in result.origins if world.job.ends]
    zombies = [world for world in ended if any(worker.outdated for worker in world.workers)]
    rescuers = [world for world in ended if world.suspect is not None]
    return bool(zombies and rescuers)
