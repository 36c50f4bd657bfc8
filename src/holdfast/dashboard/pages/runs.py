"""Runs: how far each is, when it ends and what it costs, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from holdfast.client.filters import read_labels
from holdfast.client.read_id import read_id
from holdfast.dashboard.job.facts import Label, labels_of
from holdfast.dashboard.job.verdict import Verdict
from holdfast.dashboard.job_filters import Chip, as_query, words_of
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.run.progress_bar import progress_bar
from holdfast.dashboard.run.verdict import roughly, spread
from holdfast.db import runs
from holdfast.model.error import InvalidInput
from holdfast.model.human_readable import counted
from holdfast.model.id import RunId
from holdfast.model.page import Page as Part
from holdfast.model.run_progress import RunFilter, RunPhase, RunProgress, RunSummary
from holdfast.report.markup import Markup

PAGE = 25
MOST_OPEN = 1_000  # counted for the verdict
LATELY = timedelta(days=1)  # a run that ended so long ago is news
FILTERS = ("state", "name", "label", "origin", "actor")
WORDS = {"actor": "started by"}
# How a run looks in rows: its shape and its colour.
LOOKS = {
    "open": ("ready", "ready"),
    "sealed": ("running", "running"),
    "ended": ("completed", "completed"),
    "cancelled": ("cancelled", "cancelled"),
}
Ids = tuple[RunId, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """`progress` of a run that goes on. `took`: of one that has ended."""

    run: RunSummary
    progress: RunProgress | None
    labels: Sequence[Label]
    bar: Markup
    took: timedelta | None

    @property
    def rate(self) -> float | None:
        """Jobs per minute, on average."""
        if self.progress is not None:
            return self.progress.rate_per_minute
        return 60 * self.run.ended / self.took.total_seconds() if self.took else None

    @property
    def is_blocked(self) -> bool:
        return self.progress is not None and self.progress.blocker is not None

    @property
    def look(self) -> tuple[str, str]:
        """Its shape and its colour."""
        if self.is_blocked:
            return "failed", "attention"
        return ("dead", "dead") if self.run.state == "ended" and self.run.dead else LOOKS[self.run.state]


class Runs(Page):
    path = "/runs"
    template = "runs.html"

    def __init__(self) -> None:
        # To count the live jobs of each run costs more than all else on this page.
        self._progress: Kept[Ids, dict[RunId, RunProgress]] = Kept(timedelta(seconds=5))

    async def read(self, view: View) -> Shown:
        pairs = tuple((name, value) for name, value in view.query if value and name in FILTERS)
        cursor, problem = view.get("cursor"), ""
        found: Part[RunSummary, RunId] = Part([], None)
        try:
            place = RunId(read_id(cursor)) if cursor else None
            found = await runs.find_runs(view.database, _filter(view), PAGE, place)
        except InvalidInput as exc:
            problem = words_of(exc)
        rows = await self._rows(view, found.items)
        going = await runs.count_open(view.database, MOST_OPEN)
        verdict = _verdict(going, rows, view.now)
        values = {
            "rows": rows,
            "next": found.next,
            "is_first": not cursor,
            "problem": problem,
            "given": dict(pairs),
            "query": as_query(pairs),
            "states": list(RunPhase),
            "without_state": as_query(pair for pair in pairs if pair[0] != "state"),
            "chips": _chips(pairs),
            "going": going,
            "most_open": MOST_OPEN,
            "verdict": verdict,
            "roughly": roughly,
            "spread": spread,
        }
        return Shown(f"{verdict.words} · Runs", values, here="Runs")

    async def _rows(self, view: View, found: Sequence[RunSummary]) -> list[RunRow]:
        ids = tuple(one.id for one in found if one.ended_at is None)
        known = await self._progress.get(ids, lambda: runs.progress_of_runs(view.database, ids), view.share)
        return [_row(view, one, known.get(one.id)) for one in found]


def _row(view: View, run: RunSummary, progress: RunProgress | None) -> RunRow:
    return RunRow(
        run,
        progress,
        labels_of(view.masking.masked(run.labels)),
        progress_bar(run, progress.running if progress else 0),
        None if run.ended_at is None else run.ended_at - run.created_at,
    )


def _filter(view: View) -> RunFilter:
    state = RunPhase(view.get("state")) if view.get("state") in list(RunPhase) else None
    labels = read_labels(one for one in view.every("label") if one)
    return RunFilter(
        state, view.get("name") or None, labels, view.get("origin") or None, view.get("actor") or None
    )


def _chips(pairs: tuple[tuple[str, str], ...]) -> list[Chip]:
    return [
        Chip(WORDS.get(name, name), value, as_query(pairs[:place] + pairs[place + 1 :]))
        for place, (name, value) in enumerate(pairs)
        if name != "state"
    ]


def _verdict(going: int, rows: Sequence[RunRow], now: datetime) -> Verdict:
    """Of all runs that go on how many there are, of those on this page what is wrong with them, and with
    those that ended lately.
    """
    blocked = [row for row in rows if row.is_blocked]
    dying = [row for row in rows if row.run.ended_at is None and row.run.dead]
    failed = [row for row in rows if row.run.ended_at and row.run.ended_at > now - LATELY and row.run.dead]
    on = counted(going, "run") if going <= MOST_OPEN else f"More than {MOST_OPEN:,} runs"
    words = f"{on} in progress" if going else "No run in progress"
    wrong = ""
    if blocked:
        wrong = f"{counted(len(blocked), 'run')} here {_has(blocked, 'waits', 'wait')} for a larger budget."
    elif dying:
        wrong = _of_dead(dying, "has")
    elif failed:
        wrong = _of_dead(failed, "ended with")
    if wrong:
        return Verdict("failed", "attention", words, wrong)
    return Verdict("running" if going else "completed", "running" if going else "ok", words)


def _of_dead(rows: Sequence[RunRow], verb: str) -> str:
    """nightly has 2 dead jobs of 60; of several, the one with the most is named"""
    worst = max((row.run for row in rows), key=lambda run: run.dead)
    others = f", {counted(len(rows) - 1, 'other run')} here too" if len(rows) > 1 else ""
    return f"{worst.name[:80]} {verb} {counted(worst.dead, 'dead job')} of {worst.total:,}{others}."


def _has(rows: Sequence[RunRow], one: str, several: str) -> str:
    return one if len(rows) == 1 else several
