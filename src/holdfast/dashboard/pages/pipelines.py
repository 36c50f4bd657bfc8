"""Pipelines: how jobs flow through their stages, and which stage holds the others up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

from holdfast.client.pipeline_figures import (
    LivePipeline,
    Routes,
    StageEnds,
    flows,
    read_live,
    read_routes,
    read_stage_ends,
)
from holdfast.dashboard.depth_lines import by_minute, depths, drawn
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.pages.overview import PERIODS
from holdfast.dashboard.pipeline.flow_chart import flow_chart
from holdfast.dashboard.pipeline.versions import Version, versions_of
from holdfast.db import pipelines
from holdfast.db.depths import depth_history
from holdfast.db.queue_figures import queue_figures
from holdfast.model.error import NotFound
from holdfast.model.human_readable import counted
from holdfast.model.overview import OverviewQueue
from holdfast.model.pipeline import StageDetails
from holdfast.model.queue import QueueSummary
from holdfast.model.report import PipelineReport, StageReport
from holdfast.report.markup import Markup

LISTED = 25
VERSIONS = 10
STATES = ("ready", "running", "scheduled", "waiting")
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class StageCard:
    """A column of the board. `queue` has its jobs by state, `rates` how they come and leave; each is None
    while there is no such queue. `spark`: its ready jobs in the last hour.
    """

    details: StageDetails
    report: StageReport
    queue: QueueSummary | None
    rates: OverviewQueue | None
    spark: Markup | None
    is_choke: bool

    @property
    def success(self) -> float | None:
        """The share of visits that completed, or went on to another stage."""
        ends = self.report.ends
        return ends.successes / ends.visits if ends.visits else None


@dataclass(frozen=True, slots=True)
class PipelineRow:
    """A pipeline in the list, by the newest version of it."""

    live: LivePipeline
    minutes: float

    def count(self, state: str) -> int:
        """Over its queues; one that two stages share counts once."""
        return sum(getattr(one, state) for one in self._queues)

    def is_capped(self, state: str) -> bool:
        return any(state in one.more_than for one in self._queues)

    def ended(self, state: str) -> int:
        return sum(getattr(one.ends, state) for one in self.live.report.stages)

    @property
    def per_minute(self) -> float:
        return self.ended("jobs") / self.minutes

    @property
    def _queues(self) -> list[QueueSummary]:
        known = self.live.queues
        return [known[name] for name in {one.queue for one in self.live.stages} if name in known]


class Pipelines(Page):
    path = "/pipelines"
    template = "pipelines.html"

    def __init__(self) -> None:
        self._ends: Kept[str, StageEnds] = Kept(timedelta(seconds=15))

    async def read(self, view: View) -> Shown:
        since = _since(view)
        ends = await self._ends.get(
            since, lambda: read_stage_ends(view.database, since, view.now), view.share
        )
        stages = await pipelines.newest_stages(view.database, LISTED + 1, view.get("after"))
        every = [list(group) for _, group in groupby(stages, lambda one: one.pipeline)]
        live = await read_live(view.database, every[:LISTED], ends, view.now)
        choked = [one for one in live if one.report.bottleneck]
        verdict = _verdict(live, choked)
        values = {
            "rows": [PipelineRow(one, ends.minutes) for one in live],
            "next": every[LISTED - 1][0].pipeline if len(every) > LISTED else None,
            "is_first": not view.get("after"),
            "verdict": verdict,
            "is_choked": bool(choked),
            "worst": _worst(choked),
            "states": STATES,
            **_period(since, ends),
        }
        return Shown(f"{verdict} · Pipelines", values, here="Pipelines")


class PipelineBoard(Page):
    path = "/pipelines/{name:path}"
    template = "pipeline.html"

    def __init__(self) -> None:
        self._ends: Kept[str, StageEnds] = Kept(timedelta(seconds=15))
        self._routes: Kept[tuple[str, str], Routes] = Kept(timedelta(seconds=15))
        self._sparks: Kept[str, Mapping[str, Markup]] = Kept(timedelta(seconds=30))

    async def read(self, view: View) -> Shown:
        name, since = view.path["name"], _since(view)
        versions = versions_of(await pipelines.stages_of(view.database, name))
        shown = _shown_version(versions, name, view.get("version"))
        ends = await self._ends.get(
            since, lambda: read_stage_ends(view.database, since, view.now), view.share
        )
        routes = await self._routes.get(
            (name, since), lambda: read_routes(view.database, name, ends.period), view.share
        )
        (live,) = await read_live(view.database, [shown.stages], ends, view.now)
        bottleneck = live.report.bottleneck
        choke = bottleneck.stage if bottleneck else None
        found = flows(shown.stages, ends, routes.moves)
        cards = await self._cards(view, live, choke)
        values = {
            "name": name,
            "shown": shown,
            "newest": versions[0].number,
            "versions": versions[:VERSIONS],
            "more_versions": len(versions) - VERSIONS,
            "bottleneck": bottleneck,
            "cards": cards,
            "flows": found,
            "chart": flow_chart([one.stage for one in shown.stages], found, choke, _at_choke(cards)),
            "routes": routes,
            "states": STATES,
            **_period(since, ends),
        }
        title = f"{choke} is the bottleneck · {name}" if choke else f"{name} · Pipelines"
        return Shown(title, values, here=name, crumbs=(("Pipelines", "/pipelines"),))

    async def _cards(self, view: View, live: LivePipeline, choke: str | None) -> list[StageCard]:
        names = sorted({one.queue for one in live.stages})
        rates = {one.name: one for one in await queue_figures(view.database, names, with_people=False)}
        sparks = await self._sparks.get(" ".join(names), lambda: _sparks(view, names), view.share)
        return [
            StageCard(
                details,
                report,
                live.queues.get(details.queue),
                rates.get(details.queue),
                sparks.get(details.queue),
                details.stage == choke,
            )
            for details, report in zip(live.stages, live.report.stages, strict=True)
        ]


def _at_choke(cards: Sequence[StageCard]) -> str:
    """45 ready, 1.5/min now: the flow is the mean of its period"""
    card = next((one for one in cards if one.is_choke), None)
    if card is None or card.rates is None:
        return ""
    more = "+" if "ready" in card.rates.more_than else ""
    return f"{card.rates.ready:,}{more} ready, {card.rates.per_minute:,.1f}/min now"


def _since(view: View) -> str:
    return view.get("since") if view.get("since") in dict(PERIODS) else PERIODS[0][0]


def _period(since: str, ends: StageEnds) -> dict[str, Any]:
    return {"since": since, "periods": PERIODS, "is_partial": ends.is_partial, "minutes": ends.minutes}


def _verdict(live: Sequence[LivePipeline], choked: Sequence[LivePipeline]) -> str:
    if not live:
        return "No pipeline is declared"
    if not choked:
        return f"{counted(len(live), 'pipeline')} {'flows' if len(live) == 1 else 'flow'}"
    return f"{counted(len(choked), 'pipeline')} {'has' if len(choked) == 1 else 'have'} a bottleneck"


def _worst(choked: Sequence[LivePipeline]) -> str:
    """Most jobs wait at its bottleneck: where, and why."""
    reports = [one.report for one in choked if one.report.bottleneck]
    found = max(reports, key=lambda one: _choke(one).ready, default=None)
    if found is None or found.bottleneck is None:
        return ""
    reason = found.bottleneck.reasons[-1]
    return f"{found.bottleneck.stage} holds up {found.name}: {reason}."


def _choke(report: PipelineReport) -> StageReport:
    return next(one for one in report.stages if report.bottleneck and one.name == report.bottleneck.stage)


def _shown_version(versions: Sequence[Version], name: str, wanted: str) -> Version:
    found = [one for one in versions if not wanted or str(one.number) == wanted]
    if not found:
        what = f"version {wanted[:20]} of a pipeline" if versions else "pipeline"
        raise NotFound(f"There is no {what} {name!r}.", "the page of pipelines lists all of them")
    return found[0]


async def _sparks(view: View, names: Sequence[str]) -> dict[str, Markup]:
    """The ready jobs of each queue in the last hour."""
    samples = [one for name in names for one in await depth_history(view.database, HOUR, name)]
    return {name: drawn(depths([line], "ready"), "ready") for name, line in by_minute(samples).items()}
