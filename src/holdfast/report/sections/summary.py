"""The verdict with its problems, and the row of figures below it."""

from datetime import datetime

from holdfast.model.human_readable import counted
from holdfast.model.report import Problem, Report, Weight
from holdfast.report.charts.sparkline import sparkline
from holdfast.report.local_time import in_utc
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import Links, shape
from holdfast.report.sections.throughput import finished
from holdfast.report.words import change, count, duration, moment, percent


def headline(report: Report) -> str:
    length = duration(report.period.length)
    if not report.problems:
        return f"No problems in the last {length}"
    return f"{counted(len(report.problems), 'problem')} in the last {length}"


def verdict(report: Report, links: Links | None = None) -> Markup:
    """The heading of the page; the dashboard, with links, has its own above it."""
    is_bad = any(one.weight is Weight.BAD for one in report.problems)
    look = "bad" if is_bad else "attention" if report.problems else "ok"
    symbol = {"bad": "dead", "attention": "failed", "ok": "completed"}[look]
    head = element(
        "header",
        element("span", shape(symbol, is_big=True), class_=f"is-{look} verdict-shape"),
        element("h1", headline(report)) if links is None else element("h2", headline(report), class_="h1"),
        _period(report),
    )
    problems = [_problem(one, links) for one in report.problems]
    listed = element("ul", *problems, class_="problems whole") if problems else None
    return element("section", head, listed, class_="panel verdict-panel", aria_label="Verdict")


def _period(report: Report) -> Markup:
    since, until = report.period.since, report.period.until
    return element(
        "p",
        _moment(since),
        " to ",
        _moment(until),
        class_="faint",
    )


def _moment(at: datetime) -> Markup:
    return element("time", moment(at), datetime=at.isoformat(), title=in_utc(at), data_clock="zoned")


def _problem(problem: Problem, links: Links | None) -> Markup:
    target = f"#{problem.section}" if links is None else links.problem(problem)
    look, symbol = ("bad", "dead") if problem.weight is Weight.BAD else ("attention", "failed")
    return element(
        "li",
        element("span", shape(symbol), class_=f"is-{look}"),
        element("div", element("a", problem.title, href=target), element("p", problem.words)),
        element("code", problem.command) if links is None else element("span"),
    )


def figures(report: Report) -> Markup:
    ended, before, slices = report.ended, report.ended_before, finished(report)
    good = ended.completed / ended.jobs if ended.jobs else None
    return element(
        "section",
        element(
            "dl",
            _figure(
                "Ended",
                "completed",
                count(ended.jobs),
                change(ended.jobs, before.jobs),
                sparkline([one.ends.jobs for one in slices], "completed"),
            ),
            _figure("Completed", "completed", percent(good), f"{count(ended.completed)} jobs", None),
            _figure(
                "Dead",
                "dead",
                count(ended.dead),
                change(ended.dead, before.dead),
                sparkline([one.ends.dead for one in slices], "dead"),
            ),
            _figure(
                "Failed attempts",
                "failed",
                count(ended.failed),
                f"{percent(report.retries.share)} of jobs retried",
                sparkline([one.ends.failed for one in slices], "failed"),
            ),
            _figure(
                "Wait p95", "ready", duration(ended.wait_p95), f"half in {duration(ended.wait_p50)}", None
            ),
            _figure(
                "Run p95", "running", duration(ended.run_p95), f"half in {duration(ended.run_p50)}", None
            ),
            class_="stats six",
        ),
        class_="panel",
        aria_label="Figures",
    )


def _figure(label: str, symbol: str, value: str, note: Child, line: Markup | None) -> Markup:
    look = "attention" if symbol == "failed" else symbol
    return element(
        "div",
        element("dt", shape(symbol), label, class_=f"state is-{look}"),
        element("dd", joined(element("span", value), line), class_="figure"),
        element("dd", note, class_="note"),
    )
