"""The pages about metrics and the dashboard name metrics that exist."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.telemetry.metric_list import METRICS
from holdfast.telemetry.prometheus_text import Kind
from tests.docs.metric_reference import PAGE, page
from tests.docs.page import links
from tests.repo.tree import ROOT

DASHBOARD = ROOT / "deploy" / "grafana.json"
GUIDE = ROOT / "docs" / "guides" / "prometheus.md"
NAME = re.compile(r"\bholdfast_\w+")
SUFFIXES = {
    Kind.HISTOGRAM: ("_bucket", "_sum", "_count"),
    Kind.SUMMARY: ("_sum", "_count"),
}
ROLES = {"holdfast_viewer", "holdfast_worker", "holdfast_operator", "holdfast_producer"}


def written() -> set[str]:
    """Every name that can stand in an expression."""
    return {metric.name + suffix for metric in METRICS for suffix in SUFFIXES.get(metric.kind, ("",))}


def expressions(part: Any) -> Iterator[str]:
    """Of the panels and variables of a dashboard."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("expr", "definition", "query") and isinstance(value, str):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(part, list):
        for one in part:
            yield from expressions(one)


def dashboard() -> Any:
    return json.loads(DASHBOARD.read_text())


def test_the_list_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.docs.metric_reference"


@pytest.mark.parametrize("guide", ["guides/prometheus.md", "metrics-reference.md"])
def test_their_links_lead_somewhere(guide: str) -> None:
    folder = (ROOT / "docs" / guide).parent
    assert [link for link in links(guide) if not (folder / link).exists()] == []


def test_every_metric_of_the_guide_exists() -> None:
    named = set(NAME.findall(GUIDE.read_text())) - ROLES
    families = {metric.name for metric in METRICS}
    assert named, "the guide names no metric"
    assert named - written() - families == set()


def test_every_metric_of_the_dashboard_exists() -> None:
    found = list(expressions(dashboard()))
    assert len(found) > 20
    assert {name for text in found for name in NAME.findall(text)} - written() == set()


def test_every_label_of_the_dashboard_belongs_to_its_metric() -> None:
    labels = {
        metric.name + suffix: {*metric.labels, "le"}
        for metric in METRICS
        for suffix in SUFFIXES.get(metric.kind, ("",))
    }
    wrong = {
        (name, label)
        for text in expressions(dashboard())
        for name, selector in re.findall(r"\b(holdfast_\w+)\{([^}]*)\}", text)
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector)
        if label not in labels[name]
    }
    assert wrong == set()


def test_the_dashboard_shows_every_group_of_figures() -> None:
    """A panel for each subject that people look for first."""
    text = "\n".join(expressions(dashboard()))
    shown = ("jobs", "oldest_ready", "jobs_ended", "attempts_failed", "job_wait_seconds_bucket")
    more = ("job_run_seconds_bucket", "endpoint_in_flight", "workers", "dead_letters_open", "cost_total")
    assert [name for name in (*shown, *more) if f"holdfast_{name}" not in text] == []


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24
