"""The whole page: one file that opens anywhere, without script and without anything from elsewhere."""

from functools import cache
from importlib.resources import files

from holdfast.model.report import Ends, Report
from holdfast.report.local_time import ZONE
from holdfast.report.markup import Markup, element, joined
from holdfast.report.panel import Links
from holdfast.report.sections.endpoints import endpoints
from holdfast.report.sections.errors import errors
from holdfast.report.sections.jobs_and_workers import left_workers, slowest, workers
from holdfast.report.sections.pipelines import pipelines
from holdfast.report.sections.queues import queues, ranges
from holdfast.report.sections.summary import figures, headline, verdict
from holdfast.report.sections.tasks import models, retries, tasks
from holdfast.report.sections.throughput import durations, throughput
from holdfast.report.words import moment

# What a page may load: its own styles, and nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(report: Report) -> str:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{headline(report)} · Holdfast report"),
        element("style", Markup(_look("tokens.css") + _look("page.css"))),
    )
    body = element("body", Markup(_look("sprite.svg")), _top(report), _main(report), _foot(report))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _top(report: Report) -> Markup:
    mark = element(
        "svg", element("use", href="#mark"), class_="mark", viewbox="0 0 20 20", aria_hidden="true"
    )
    at = report.generated_at
    made = element("time", moment(at), datetime=at.isoformat())
    return element(
        "header",
        element("a", "Skip to content", class_="skip", href="#main"),
        element("span", mark, "Holdfast", element("span", "report", class_="faint"), class_="brand"),
        element("p", "made ", made, class_="faint"),
        class_="top",
    )


def _main(report: Report) -> Markup:
    return element("main", sections(report), id="main", class_="page")


def sections(report: Report, links: Links | None = None) -> Markup:
    """All parts of a report below each other, for this page and, with links, for the dashboard. There, long
    lists that other pages show too are folded.
    """
    ends = (slowest(report, links), workers(report), left_workers(report))
    return joined(
        verdict(report, links),
        figures(report),
        element("div", throughput(report), ranges(_ends_by_queue(report)), class_="cols two-one even"),
        element("div", durations(report), retries(report.ended, report.retries), class_="cols two-one even"),
        queues(report),
        *pipelines(report),
        *endpoints(report),
        errors(report),
        tasks(report),
        models(report),
        *(ends if links is None else map(_folded, FOLDED, ends)),
    )


FOLDED = ("Slowest jobs", "Workers", "Workers that left")


def _folded(heading: str, part: Markup) -> Markup:
    return element(
        "details", element("summary", element("span", heading, class_="strong")), part, class_="panel fold"
    )


def _ends_by_queue(report: Report) -> dict[str, Ends]:
    return {one.name: one.ends for one in report.queues.items}


def _foot(report: Report) -> Markup:
    return element("footer", *(element("p", one) for one in notes(report)), class_="notes")


def notes(report: Report) -> list[str]:
    buckets = "p50 and p95 are rounded up, by up to a quarter."
    return [
        joined(f"{buckets} All times are in ", ZONE, ", read in one snapshot."),
        *report.notes,
    ]


@cache
def _look(name: str) -> str:
    return joined(Markup(files("holdfast.report").joinpath("look", name).read_text())).strip() + "\n"
