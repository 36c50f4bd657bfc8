"""Groups of similar errors, each with its trend."""

from holdfast.model.human_readable import counted
from holdfast.model.report import Report
from holdfast.model.stats import ErrorGroup
from holdfast.report.charts.sparkline import sparkline
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import and_more, nothing, panel
from holdfast.report.table import Column, several, table
from holdfast.report.words import count


def errors(report: Report) -> Markup:
    part = report.errors
    if not part.items:
        return panel("errors", "Errors", nothing("No attempt went wrong in this period."))
    return panel(
        "errors",
        "Errors",
        table(COLUMNS, part.items, "Groups of similar errors, the most frequent first"),
        note="attempts with the same cause, against the period before",
        foot=and_more(
            part, "errors", f"holdfast errors --since {int(report.period.length.total_seconds())}s"
        ),
    )


def _error(one: ErrorGroup) -> Markup:
    kind = element("b", one.error_type or "Without a type")
    message = element("span", one.message, class_="clamp muted", title=one.message) if one.message else None
    where = ", ".join(part for part in (one.error_class, one.place) if part)
    return element(
        "div", kind, message, element("span", where, class_="faint small") if where else None, class_="words"
    )


def _trend(one: ErrorGroup) -> Markup:
    return sparkline(one.trend, "failed", f"{counted(one.attempts, 'attempt')} over the period")


def _change(one: ErrorGroup) -> Child:
    if one.before == 0:
        return element("span", "new", class_="warn")
    words = f"{100 * (one.attempts - one.before) / one.before:+,.0f} %"
    grows = one.attempts >= 2 * one.before
    return joined(element("span", words, class_="warn" if grows else None, title=f"{one.before:,} before"))


COLUMNS: tuple[Column[ErrorGroup], ...] = (
    Column("Error", _error, "grow"),
    Column("Tasks", lambda one: several(one.tasks), "several", place="half", opt="opt-1"),
    Column("Jobs", lambda one: count(one.jobs), "n"),
    Column("Attempts", lambda one: count(one.attempts), "n"),
    Column("Before", lambda one: count(one.before), "n"),
    Column("Change", _change, "n"),
    Column("Trend", _trend, "spark-cell", place="half"),
)
