"""Every interleaving of the verbs keeps every invariant; and a protocol with a mistake in it does not."""

from dataclasses import replace

import pytest

from tests.proof.model_check.protocol import Luck, Rules
from tests.proof.model_check.search import search

SOUND = Rules()


@pytest.mark.timeout(120)
def test_no_schedule_breaks_the_protocol() -> None:
    result = search(SOUND)
    print(f"{result.states} states, {result.transitions} transitions")
    assert result.broken is None, "\n".join([result.broken or "", *result.schedule])
    assert result.states > 10_000, "the model has become trivial"


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_no_schedule_with_more_faults_breaks_it_either() -> None:
    result = search(SOUND, Luck(lost_answers=2, ended_leases=2, crashes=1, failures=2, releases=1))
    print(f"{result.states} states, {result.transitions} transitions")
    assert result.broken is None, "\n".join([result.broken or "", *result.schedule])


@pytest.mark.parametrize(
    ("flaw", "found"),
    [
        ("ends_carry_token", "an outdated token changed something"),
        ("effects_carry_token", "an ended job went on"),
        ("rescue_looks_again", "a live worker was robbed"),
        ("losses_count", "a loss that does not count"),
        ("orphans_are_released", "no schedule ends the job"),
        ("end_removes_the_job", "a job has two ends"),
    ],
)
@pytest.mark.timeout(120)
def test_a_planted_mistake_is_found(flaw: str, found: str) -> None:
    result = search(replace(SOUND, **{flaw: False}))
    print(result.broken, *result.schedule, sep="\n  ")
    assert result.broken == found
    assert len(result.schedule) <= 12, "the shortest schedule is told"
