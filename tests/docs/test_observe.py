"""The guide to the log and to hooks is true: its programs run, without Sentry."""

import re

import pytest

from holdfast.telemetry.event_list import Event
from tests.docs.page import blocks, links, run
from tests.repo.tree import ROOT

PAGE = "guides/observe.md"
FILTER, HOOK = [text for _, text in blocks(PAGE, "python")]
NAME = re.compile(r"`((?:job|worker|hook|endpoint)\.[a-z_]+)`")


@pytest.mark.slow
def test_the_hook_reports_the_dead_job(database_url: str) -> None:
    done = run(HOOK, database_url)
    assert done.stdout == (
        "captured ValueError('no such address: ada')"
        " with {'task': 'send', 'attempt': 1, 'reason': 'failed_too_often'}\n"
    )
    assert done.stderr.startswith("job.dead job=")


def test_the_filter_adds_the_job_to_a_line(database_url: str) -> None:
    done = run(f"{FILTER}\nlogging.getLogger('shop.mail').warning('hello')\n", database_url)
    assert done.stderr == "WARNING None None hello\n"


def test_it_names_only_events_that_exist() -> None:
    text = (ROOT / "docs" / PAGE).read_text()
    named = set(NAME.findall(text))
    assert len(named) > 5
    assert named <= {event.value for event in Event}


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
