"""Endpoints: what they admit and how they answer, over time, and what an operator may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from holdfast.client.endpoint_reports import read_endpoint_reports
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import endpoints
from holdfast.model.endpoint import Circuit, EndpointBacklog, EndpointSummary
from holdfast.model.human_readable import counted
from holdfast.model.report import EndpointReport, Period
from holdfast.report.sections.endpoints import CIRCUITS, endpoint_chart
from holdfast.report.words import count

PERIODS = (("10m", "10 min"), ("1h", "1 h"), ("6h", "6 h"))
MOST = 100
KEEP = timedelta(seconds=5)  # the calls of twenty busy endpoints by the second: a tenth of a second to add up
SLOTS = 16  # permits that are drawn one by one


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """An endpoint, its calls of the period, and the queues whose jobs call it."""

    one: EndpointSummary
    report: EndpointReport
    queues: list[EndpointBacklog]

    @property
    def waiting(self) -> int:
        """Ready jobs that would call it; those of paused queues wait for something else."""
        return sum(each.ready for each in self.queues if not each.is_paused)

    @property
    def is_more(self) -> bool:
        return any(each.is_more for each in self.queues if not each.is_paused)

    @property
    def is_full(self) -> bool:
        return self.one.circuit is Circuit.CLOSED and self.one.in_flight >= self.one.limit

    @property
    def holds_up(self) -> bool:
        return self.is_full and self.waiting > 0

    @property
    def cut_from(self) -> int | None:
        """Its highest limit of the period, if it is lower now."""
        highest = self.report.highest_limit
        return highest if highest > self.one.limit else None

    @property
    def permits_words(self) -> str:
        """2 of 2, cut from 6"""
        words = f"{self.one.in_flight:,} of {self.one.limit:,}"
        return words if self.cut_from is None else f"{words}, cut from {self.cut_from:,}"

    @property
    def waiting_words(self) -> str:
        more = "+" if self.is_more else ""
        return f"{count(self.waiting)}{more} job{' waits' if self.waiting == 1 and not more else 's wait'}"


class Endpoints(Page):
    path = "/endpoints"
    template = "endpoints.html"

    def __init__(self) -> None:
        self._reports: Kept[tuple[str, ...], tuple[Period, list[EndpointReport]]] = Kept(KEEP)

    async def read(self, view: View) -> Shown:
        found = await endpoints.list_endpoints(view.database, MOST + 1)
        listed, since = found[:MOST], _since(view)
        _, reports = await self._reports.get(
            (since, *(one.name for one in listed)),
            lambda: read_endpoint_reports(view.database, listed, since, view.now),
            view.share,
        )
        rows = await _rows(view, listed, reports)
        stopped = [one for one in found if one.circuit is not Circuit.CLOSED]
        full = sorted((row for row in rows if row.holds_up), key=lambda row: -row.waiting)
        verdict = _verdict(found, stopped, full)
        values = {
            "rows": rows,
            "has_more": len(found) > MOST,
            "verdict": verdict,
            "look": "bad" if stopped else "attention" if full else "ok",
            "full": full,
            "circuits": CIRCUITS,
            "periods": PERIODS,
            "since": since,
            "slots": SLOTS,
        }
        return Shown(f"{verdict} · Endpoints", values, here="Endpoints")


class Endpoint(Page):
    path = "/endpoints/{name:path}"
    template = "endpoint.html"

    async def read(self, view: View) -> Shown:
        found = await endpoints.get_endpoint(view.database, view.path["name"])
        since = _since(view)
        period, reports = await read_endpoint_reports(view.database, [found], since, view.now)
        (row,) = await _rows(view, [found], reports)
        circuit = CIRCUITS[found.circuit]
        values = {
            "found": found,
            "row": row,
            "report": row.report,
            "chart": endpoint_chart(period, 0, row.report, "Calls in flight and limit"),
            "circuit": circuit,
            "periods": PERIODS,
            "since": since,
            "slots": SLOTS,
        }
        state = "full" if row.holds_up else circuit[0]
        return Shown(f"{found.name}: {state} · Endpoints", values, found.name, (("Endpoints", "/endpoints"),))


def _since(view: View) -> str:
    return view.get("since") if view.get("since") in dict(PERIODS) else "1h"


async def _rows(
    view: View, found: Sequence[EndpointSummary], reports: Sequence[EndpointReport]
) -> list[EndpointRow]:
    backlog = await endpoints.endpoint_backlog(view.database, [one.name for one in found])
    return [
        EndpointRow(one, report, [each for each in backlog if each.endpoint == one.name])
        for one, report in zip(found, reports, strict=True)
    ]


def _verdict(
    found: Sequence[EndpointSummary], stopped: Sequence[EndpointSummary], full: Sequence[EndpointRow]
) -> str:
    if not found:
        return "No endpoint is declared"
    if stopped:
        tested = sum(one.circuit is Circuit.HALF_OPEN for one in stopped)
        shut = len(stopped) - tested
        parts = [f"Calls to {counted(shut, 'endpoint')} are stopped"] if shut else []
        parts += [f"{counted(tested, 'endpoint')} {'is' if tested == 1 else 'are'} tested"] if tested else []
        return ", ".join(parts)
    if len(full) == 1:
        return f"{full[0].one.name} is full: {full[0].permits_words}; {full[0].waiting_words}"
    if full:
        return f"{counted(len(full), 'endpoint')} are full and jobs wait"
    return f"{counted(len(found), 'endpoint')} admit{'s' if len(found) == 1 else ''} calls"
