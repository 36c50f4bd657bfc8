"""Throughput and failures over time, and waits and runs over time."""

from datetime import timedelta

from holdfast.model.duration import exact
from holdfast.model.report import EndsOverTime, Slice
from holdfast.report.charts.scale import duration_ticks
from holdfast.report.charts.time_chart import Series, TimeChart, legend, time_chart
from holdfast.report.local_time import FROM, ZONE, drawn_clock, local_clock
from holdfast.report.markup import Markup, joined
from holdfast.report.panel import body, panel
from holdfast.report.table import chart_table
from holdfast.report.words import clock, count, duration


def throughput(report: EndsOverTime) -> Markup:
    slices = report.timeline
    first, last = _drawn(report)
    shown = [one.ends if first <= number <= last else None for number, one in enumerate(slices)]
    areas = (
        Series("Completed", "completed", [None if one is None else one.completed for one in shown]),
        Series(
            "Rejected, cancelled",
            "quiet",
            [None if one is None else one.rejected + one.cancelled for one in shown],
        ),
    )
    bars = (
        Series("Dead", "dead", [one.ends.dead for one in slices]),
        Series("Failed attempts", "failed", [max(0, one.ends.failed - one.ends.dead) for one in slices]),
    )
    step = duration(report.period.slice)
    chart = time_chart(
        TimeChart(
            "ended",
            f"Jobs ended per {step}",
            f"{count(report.ended.completed)} completed, {count(report.ended.dead)} died, "
            f"{count(report.ended.failed)} attempts failed.",
            report.period.since,
            report.period.until,
            areas=areas,
            strip_title="Failed attempts",
            bars=bars,
            hints=[_sentence(report, one) for one in slices],
            before=joined("No job ended before ", drawn_clock(slices[first].at, report.period.length)),
        )
    )
    return panel(
        "throughput",
        "Throughput and failures",
        body(chart),
        _table(report),
        note=joined(f"per {step}, ", ZONE),
        aside=legend(areas, (), bars),
    )


def finished(report: EndsOverTime) -> list[Slice]:
    """Without a last slice that has only begun."""
    return report.timeline[:-1] if report.period.last_is_open else report.timeline


def _drawn(report: EndsOverTime) -> tuple[int, int]:
    """The first and the last slice of the drawing: from the first one in which something ended, without the
    one that is still open.
    """
    last = len(finished(report)) - 1
    ended = (n for n, one in enumerate(report.timeline) if one.ends.visits or one.ends.failed)
    return min(next(ended, 0), last), last


def _sentence(report: EndsOverTime, one: Slice) -> str:
    ends = one.ends
    so_far = " so far" if report.period.last_is_open and one is report.timeline[-1] else ""
    return (
        f"{clock(one.at, report.period.length)} UTC{so_far}: "
        f"{ends.completed:,} completed, {ends.rejected:,} rejected, {ends.cancelled:,} cancelled, "
        f"{ends.failed:,} failed attempts, {ends.dead:,} dead"
    )


def _table(report: EndsOverTime) -> Markup:
    headings = (FROM, "Ended", "Completed", "Rejected", "Cancelled", "Dead", "Failed attempts")
    rows = [
        (
            local_clock(one.at, report.period.length),
            count(one.ends.jobs),
            count(one.ends.completed),
            count(one.ends.rejected),
            count(one.ends.cancelled),
            count(one.ends.dead),
            count(one.ends.failed),
        )
        for one in reversed(report.timeline)
    ]
    return chart_table(headings, rows, "Jobs that ended and attempts that failed, newest first")


def durations(report: EndsOverTime) -> Markup:
    slices = report.timeline
    lines = (
        Series("Wait p95", "ready", [_seconds(one.ends.wait_p95) for one in slices]),
        Series("Run p95", "running", [_seconds(one.ends.run_p95) for one in slices]),
    )
    chart = time_chart(
        TimeChart(
            "lasted",
            "How long jobs waited and ran",
            f"95 % of all jobs waited up to {duration(report.ended.wait_p95)} "
            f"and ran up to {duration(report.ended.run_p95)}.",
            report.period.since,
            report.period.until,
            lines=lines,
            hints=[_lasted(report, one) for one in slices],
            ticks=duration_ticks,
            tick=lambda value: exact(timedelta(seconds=round(value, 3))) if value else "0",
        )
    )
    headings = (FROM, "Wait p50", "Wait p95", "Wait p99", "Run p50", "Run p95", "Run p99")
    rows = [(local_clock(one.at, report.period.length), *_percentiles(one)) for one in reversed(slices)]
    return panel(
        "durations",
        "Wait and run over time",
        body(chart),
        chart_table(headings, rows, "Percentiles of waiting and running time, newest first"),
        note=joined("95th percentile, ", ZONE),
        aside=legend((), lines),
    )


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _lasted(report: EndsOverTime, one: Slice) -> str:
    at = f"{clock(one.at, report.period.length)} UTC"
    if not one.ends.visits:
        return f"{at}: no job ended"
    return f"{at}: waited up to {duration(one.ends.wait_p95)}, ran up to {duration(one.ends.run_p95)} (p95)"


def _percentiles(one: Slice) -> list[str]:
    ends = one.ends
    lengths = (ends.wait_p50, ends.wait_p95, ends.wait_p99, ends.run_p50, ends.run_p95, ends.run_p99)
    return [duration(length) for length in lengths]
