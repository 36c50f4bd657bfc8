"""The tasks and models with what they cost, and the retries."""

from holdfast.model.report import Ends, ModelReport, Report, Retries, TaskReport
from holdfast.report.charts.share_bar import share_bar
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import and_more, body, nothing, panel
from holdfast.report.table import Column, name, table
from holdfast.report.words import NONE, count, duration, figure, money, percent


def tasks(report: Report) -> Markup:
    if not report.tasks.items:
        return panel("tasks", "Tasks and cost", nothing("No job ended in this period."))
    cost = report.ended.cost
    columns = (*COLUMNS, _cost(cost)) if cost else COLUMNS
    return panel(
        "tasks",
        "Tasks and cost",
        table(columns, report.tasks.items, "Tasks, those with the most ended jobs first"),
        note=f"{figure(report.ended.units)} units, {money(cost)} in all" if report.ended.units else None,
        foot=and_more(report.tasks, "tasks", "holdfast stats --by task"),
    )


COLUMNS: tuple[Column[TaskReport], ...] = (
    Column("Task", lambda one: name(one.name)),
    Column("Processed", lambda one: count(one.ends.visits), "n"),
    Column("Succeeded", lambda one: _share(one.ends.successes, one), "n"),
    Column("Rejected", lambda one: count(one.ends.rejected), "n", opt="opt-0"),
    Column("Dead", lambda one: count(one.ends.dead), "n"),
    Column("Retried", lambda one: _share(one.ends.retried, one), "n"),
    Column("Run mean", lambda one: duration(one.ends.run_mean), "n", opt="opt-1"),
    Column("Run p50", lambda one: duration(one.ends.run_p50), "n", opt="opt-0"),
    Column("Run p95", lambda one: duration(one.ends.run_p95), "n"),
    Column("Units", lambda one: figure(one.ends.units), "n"),
)


def _share(part: int, one: TaskReport) -> str:
    return percent(part / one.ends.visits) if one.ends.visits else NONE


def _cost(whole: float) -> Column[TaskReport]:
    def cell(one: TaskReport) -> Child:
        if not one.ends.cost:
            return NONE
        bar = element("span", share_bar(one.ends.cost / whole, "ready"), class_="beside")
        return joined(bar, element("span", money(one.ends.cost)))

    return Column("Cost", cell, "n meter")


def models(report: Report) -> Markup | None:
    """Without recorded calls there is nothing to say."""
    if not report.models.items:
        return None
    return panel(
        "models",
        "Models",
        table(MODELS, report.models.items, "Models, those with the most calls first"),
        note="recorded calls; with an error: whatever its cause",
        foot=and_more(report.models, "models", "holdfast stats --by model"),
    )


MODELS: tuple[Column[ModelReport], ...] = (
    Column("Model", lambda one: name(one.name)),
    Column("Calls", lambda one: count(one.calls), "n"),
    Column("With an error", lambda one: count(one.errors), "n"),
    Column("Mean time", lambda one: duration(one.mean), "n"),
    Column("p95", lambda one: duration(one.p95), "n"),
    Column("Units", lambda one: figure(one.units), "n"),
    Column("Cost", lambda one: money(one.cost), "n"),
)


def retries(ended: Ends, found: Retries) -> Markup:
    visits = ended.visits
    if not visits:
        return panel("retries", "Retries", nothing("No job ended in this period."))
    bars = (
        _bar("Went well at once", ended.successes - found.completed, visits, "completed"),
        _bar("Retried, went well", found.completed, visits, "scheduled"),
        _bar("Died", ended.dead, visits, "dead"),
        _bar("Rejected, cancelled", ended.rejected + ended.cancelled, visits, "quiet"),
    )
    words = element(
        "dl",
        element("dt", "Retries that went well"),
        element("dd", f"{percent(found.success)} of {found.jobs:,}" if found.jobs else NONE),
        element("dt", "Failed attempts"),
        element("dd", count(ended.failed)),
        class_="kv",
    )
    noun = "ended jobs and stage visits" if ended.advanced else "ended jobs"
    note = f"share of {visits:,} {noun}"
    return panel("retries", "Retries", body(element("ol", *bars, class_="bars"), words), note=note)


def _bar(label: str, part: int, whole: int, colour: str) -> Markup:
    shown = share_bar(part / whole, colour)
    return element(
        "li", element("span", label), shown, element("span", percent(part / whole)), title=f"{part:,}"
    )
