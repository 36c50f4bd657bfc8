"""docs/requirements.md lists every requirement once, with places and tests that exist."""

from collections import Counter

import pytest

from tests.requirements import places
from tests.requirements.page import PAGE, page
from tests.requirements.registry import PLANS, Requirement, Status, read_systems

COUNTS = {"000": 165, "001": 82, "002": 117, "003": 111, "004": 50}
NEEDED = {
    Status.WORKS: ("place", "test"),
    Status.PARTLY: ("place", "note"),
    Status.MISSING: ("note",),
    Status.PLANNED: ("planned",),
    Status.DIFFERS: ("note",),
}
REQUIREMENTS = [one for system in read_systems() for one in system.requirements]


def test_every_id_is_there_exactly_once_and_in_order() -> None:
    expected = [f"{number}-{index}" for number, count in COUNTS.items() for index in range(1, count + 1)]
    assert [one.id for one in REQUIREMENTS] == expected


@pytest.mark.parametrize("one", REQUIREMENTS, ids=lambda one: one.id)
def test_a_requirement_is_complete_and_names_what_exists(one: Requirement) -> None:
    assert [place for place in one.place if not places.place_exists(place)] == []
    assert [test for test in one.test if not places.test_exists(test)] == []
    assert one.planned in {"", *PLANS}
    assert lacks(one) == []


def lacks(one: Requirement) -> list[str]:
    """What its status asks for and it does not have."""
    return [field for field in NEEDED[one.status] if not getattr(one, field)]


def test_every_plan_is_waited_for() -> None:
    assert Counter(one.planned for one in REQUIREMENTS).keys() >= PLANS.keys()


def test_the_page_is_what_the_files_say() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.requirements.page"


@pytest.mark.parametrize(
    ("place", "is_there"),
    [
        ("docs/reliability.md", True),
        ("docs/miracles.md", False),
        ("holdfast worker --lease", True),
        ("holdfast worker --magic", False),
        ("holdfast jobs show", True),
        ("holdfast jobs juggle", False),
        ("./dev bench", True),
        ("./dev nothing", False),
        ("holdfast.claim_jobs", True),
        ("holdfast.claim_everything", False),
        ("holdfast.jobs.priority", True),
        ("holdfast.jobs.colour", False),
        ("Holdfast.run", True),
        ("Holdfast.fly", False),
        ("Stage(max_concurrent=)", True),
        ("Stage(colour=)", False),
    ],
)
def test_a_place_that_is_gone_is_noticed(place: str, is_there: bool) -> None:
    assert places.place_exists(place) is is_there


@pytest.mark.parametrize(
    ("test", "is_there"),
    [
        ("sql/claim_jobs", True),
        ("sql/claim_everything", False),
        ("requirements/test_requirements.py", True),
        ("requirements/test_requirements.py::test_the_page_is_what_the_files_say", True),
        ("requirements/test_requirements.py::test_that_was_never_written", False),
        ("chaos:flood", False),
    ],
)
def test_a_test_that_is_gone_is_noticed(test: str, is_there: bool) -> None:
    assert places.test_exists(test) is is_there
