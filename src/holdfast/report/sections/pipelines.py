"""The pipelines, stage by stage, with the stage that holds the others up."""

from datetime import timedelta

from holdfast.model.report import PipelineReport, Report, StageReport
from holdfast.report.charts.range_bar import LogAxis, axis_words, range_bar
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import and_more, nothing, panel, shape
from holdfast.report.table import Column, capped, name, table
from holdfast.report.words import count, duration


def pipelines(report: Report) -> list[Markup]:
    part = report.pipelines
    if not part.items:
        return [panel("pipelines", "Pipelines", nothing("No pipeline is declared."))]
    made = [_pipeline(number, one) for number, one in enumerate(part.items)]
    more = and_more(part, "pipelines", "holdfast pipelines list")
    return [*made, element("p", more, class_="faint")] if more else made


def _pipeline(number: int, one: PipelineReport) -> Markup:
    choke = one.bottleneck.stage if one.bottleneck else None
    return panel(
        "pipelines" if number == 0 else f"pipeline-{number + 1}",
        f"Pipeline {one.name}",
        _verdict(one),
        table(
            _columns(one.stages, choke), one.stages, f"Stages of {one.name}", lambda row: _mark(row, choke)
        ),
        note=f"version {one.version}, {len(one.stages)} stages",
    )


def _mark(stage: StageReport, choke: str | None) -> str:
    return "choke" if stage.name == choke else ""


def _verdict(one: PipelineReport) -> Markup:
    if one.bottleneck is None:
        words: list[Child] = ["No stage holds the others up: jobs start within 30 s at each of them."]
        return element("p", shape("completed"), *words, class_="verdict is-ok panel-body")
    reasons = "; ".join(one.bottleneck.reasons)
    return element(
        "p",
        shape("failed"),
        "The bottleneck is ",
        element("b", one.bottleneck.stage),
        f": {reasons}.",
        class_="verdict is-attention panel-body",
    )


def _columns(stages: list[StageReport], choke: str | None) -> tuple[Column[StageReport], ...]:
    lengths = [
        length
        for one in stages
        for length in (one.ends.wait_p50, one.ends.wait_p95, one.ends.run_p50, one.ends.run_p95)
    ]
    axis = LogAxis(lengths)
    return (
        Column("Stage", lambda one: name(one.name, "bottleneck" if one.name == choke else None)),
        Column(
            joined(axis_words(axis), element("span", "Wait and run, p50 to p95", class_="hidden")),
            lambda one: range_bar(axis, _ranges(one)),
            "grow span",
            place="full",
        ),
        Column("Endpoint", lambda one: name(one.endpoint) if one.endpoint else "–", opt="opt-2"),
        Column("Ready", _ready, "n"),
        Column("Running", lambda one: count(one.running), "n"),
        Column("Visits", lambda one: count(one.ends.visits), "n"),
        Column("Rejected", lambda one: count(one.ends.rejected), "n", opt="opt-0"),
        Column("Dead", lambda one: count(one.ends.dead), "n"),
        Column("Wait p95", lambda one: duration(one.ends.wait_p95), "n"),
        Column("Run p95", lambda one: duration(one.ends.run_p95), "n"),
    )


def _ready(one: StageReport) -> Child:
    return capped(one.ready, "ready" in one.more_than, one.sampled_ready, one.sampled_at)


def _ranges(one: StageReport) -> list[tuple[str, timedelta | None, timedelta | None]]:
    return [("ready", one.ends.wait_p50, one.ends.wait_p95), ("running", one.ends.run_p50, one.ends.run_p95)]
