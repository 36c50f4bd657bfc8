"""The commands under Holdfast's roles: a viewer sees all and changes nothing, an operator may do both."""

import pytest

from tests.cli.command import holdfast
from tests.cli.scene import dead_jobs, states

READING = (
    *(
        "stats",
        "errors",
        "top",
        "dead list",
        "dead groups",
        "dead export",
        "jobs list",
        "queues list",
        "metrics",
    ),
)
READING_ONE = ("explain", "dead show", "jobs show")


def as_role(url: str, role: str) -> str:
    return f"{url}&role=holdfast_{role}"


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_who_may_look_can_use_every_reading_command(database_url: str, role: str) -> None:
    (job,) = dead_jobs(database_url, 1)
    for command in [*READING, *(f"{one} {job}" for one in READING_ONE)]:
        answer = holdfast(*command.split(), url=as_role(database_url, role))
        assert answer.code == 0, (command, answer.err)


def test_a_viewer_changes_nothing(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1)
    for command in ("dead replay --all --yes", f"dead note words {job}", f"dead resolve {job}"):
        answer = holdfast(*command.split(), url=as_role(database_url, "viewer"))
        assert (answer.code, "permission denied" in answer.err) == (1, True), (command, answer.err)
    assert states(database_url) == {job: "dead"}


def test_an_operator_brings_the_dead_back(database_url: str) -> None:
    (job,) = dead_jobs(database_url, 1)
    answer = holdfast("dead", "replay", "--all", "--yes", url=as_role(database_url, "operator"))
    assert answer.code == 0, answer.err
    assert states(database_url) == {job: "ready"}
