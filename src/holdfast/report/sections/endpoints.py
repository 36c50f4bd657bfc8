"""The endpoints: what they admit, how they answer, what they cost."""

from collections.abc import Sequence

from holdfast.model.endpoint import Circuit
from holdfast.model.report import OPEN_SLICE, EndpointReport, EndpointSlice, Period, Report
from holdfast.report.charts.time_chart import Series, TimeChart, legend, time_chart
from holdfast.report.local_time import FROM, ZONE, drawn_clock, local_clock
from holdfast.report.markup import Child, Markup, element, joined
from holdfast.report.panel import and_more, body, nothing, panel, state
from holdfast.report.table import Column, chart_table, name, table
from holdfast.report.words import NONE, clock, count, duration, figure, money, percent

CHARTS = 4  # the busiest; the others have a row in the table
CIRCUITS = {  # in words of what happens, since an open queue is well and an open circuit is not
    Circuit.CLOSED: ("calls pass", "closed", "ok", "circuit closed"),
    Circuit.HALF_OPEN: ("testing", "half", "attention", "circuit half open"),
    Circuit.OPEN: ("calls stopped", "open", "bad", "circuit open"),
    Circuit.HELD_OPEN: ("on hold", "held", "bad", "an operator stopped all calls: circuit held open"),
}


def endpoints(report: Report) -> list[Markup]:
    part = report.endpoints
    if not part.items:
        return [panel("endpoints", "Endpoints", nothing("No endpoint is declared.", "app.endpoint(…)"))]
    listed = panel(
        "endpoints",
        "Endpoints",
        table(COLUMNS, part.items, "Endpoints"),
        note=joined("calls since ", local_clock(part.items[0].since, report.period.length), " ", ZONE),
        foot=and_more(part, "endpoints", "holdfast endpoints list"),
    )
    busiest = sorted((one for one in part.items if one.started), key=lambda one: -one.started)[:CHARTS]
    charts = [endpoint_chart(report.period, number, one) for number, one in enumerate(busiest)]
    return [listed, element("div", *charts, class_="cols halves")] if charts else [listed]


def _spent(one: EndpointReport) -> Child:
    if one.budget_per_day is None:
        return money(one.spent_today) if one.spent_today else NONE
    words = f"{money(one.spent_today)} of {money(one.budget_per_day)}"
    is_near = one.spent_today >= 0.8 * one.budget_per_day
    return element("span", words, class_="warn" if is_near else None)


def _limited(one: EndpointReport) -> Child:
    return element("span", count(one.limited), class_="warn") if one.limited else "0"


def _failed(one: EndpointReport) -> str:
    answered = one.ok + one.failed
    return percent(one.failed / answered) if answered else NONE


COLUMNS: tuple[Column[EndpointReport], ...] = (
    Column("Endpoint", lambda one: name(one.name)),
    Column("Circuit", lambda one: state(*CIRCUITS[one.circuit])),
    Column("In flight", lambda one: f"{one.in_flight:,} of {one.limit:,}", "n"),
    Column("Calls", lambda one: count(one.started), "n"),
    Column("Failed", _failed, "n"),
    Column("429s", _limited, "n"),
    Column("Mean time", lambda one: duration(one.mean), "n"),
    Column("Units", lambda one: figure(one.units), "n", opt="opt-0"),
    Column("Spent today", _spent, "n"),
)


def endpoint_chart(period: Period, number: int, one: EndpointReport, heading: str = "") -> Markup:
    """`heading`: the name of the endpoint unless given."""
    first, last = _drawn(period, one.slices)
    shown = [part if first <= place <= last else None for place, part in enumerate(one.slices)]
    in_flight = Series(
        "In flight", "running", [part.in_flight if part and part.limit else None for part in shown]
    )
    limit = Series("Limit", "quiet", [(part and part.limit) or None for part in shown])
    bars = (
        Series("429s", "failed", [part.limited for part in one.slices]),
        Series("Failed", "dead", [part.failed for part in one.slices]),
    )
    key = f"endpoint-{number + 1}"
    chart = time_chart(
        TimeChart(
            f"{key}-chart",
            f"Calls in flight and limit of {one.name}",
            f"{count(one.started)} calls, {count(one.limited)} answered 429, {count(one.failed)} failed.",
            one.since,
            period.until,
            areas=(in_flight,),
            limits=(limit,),
            strip_title="429s and failed calls",
            bars=bars,
            hints=[f"{clock(part.at, period.length)} UTC: {_sentence(part)}" for part in one.slices],
            before=joined("No call before ", drawn_clock(one.slices[first].at, period.length)),
        )
    )
    rows = [(local_clock(part.at, period.length), *_figures(part)) for part in one.slices]
    return panel(
        key,
        heading or one.name,
        body(chart),
        chart_table(HEADINGS, reversed(rows), f"Calls of {one.name}, newest first"),
        note=ZONE,
        aside=legend((in_flight,), bars=bars, limits=(limit,)),
    )


def _drawn(period: Period, slices: Sequence[EndpointSlice]) -> tuple[int, int]:
    """The first and the last slice of the drawing: from the first call, without an open slice."""
    length = period.until - slices[0].at
    last = len(slices) - (2 if len(slices) > 1 and length < len(slices) * OPEN_SLICE else 1)
    called = (n for n, part in enumerate(slices) if part.limit)
    return min(next(called, 0), max(0, last)), last


HEADINGS = (FROM, "Calls", "Limit", "In flight", "429s", "Failed", "Mean time")


def _figures(part: EndpointSlice) -> tuple[str, ...]:
    counts = (part.started, part.limit, part.in_flight, part.limited, part.failed)
    return *map(count, counts), duration(part.mean)


def _sentence(part: EndpointSlice) -> str:
    return (
        f"{part.started:,} calls, at most {part.in_flight:,} in flight, limit {part.limit:,}, "
        f"{part.limited:,} × 429, {part.failed:,} failed, mean {duration(part.mean)}"
    )
