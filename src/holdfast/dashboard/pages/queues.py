"""Queues: what stands in each, how it flows, which are paused and why; and which pairs are rebalanced."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.api.request.scoped_view import seen_by
from holdfast.client.report.late_queue import held_up_by, lateness, limit_of
from holdfast.dashboard.free_slots import free_slots
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import endpoints, moves, queues
from holdfast.db.queue_figures import queue_figures
from holdfast.model.access_key import AccessAction, Caller
from holdfast.model.human_readable import counted
from holdfast.model.overview import LATE, OverviewEndpoint, OverviewQueue
from holdfast.model.queue import INTERNAL_QUEUE, FullPause

STATES = ("behind", "no worker", "paused", "open")
WORDS = {
    "behind": "behind",
    "no worker": "without a worker",
    "dead": "with dead letters",
    "paused": "paused",
}
LISTED = 50
MOST_ENDPOINTS = 1000
PAIRS = 100


class Queues(Page):
    path = "/queues"
    template = "queues.html"

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        # It lists no task, so that a key for some tasks is refused: queues are not counted by task.
        return await access.check(request, AccessAction.LIST_JOBS, queues=[])

    async def read(self, view: View) -> Shown:
        names = await _names(view, view.get("after"))
        found = await queue_figures(view.database, names[:LISTED], with_people=view.sees_all)
        pause = await queues.full_pause(view.database)
        pause = None if pause is None else seen_by(view.caller, pause)
        pairs = await moves.rebalance_pairs(view.database) if view.sees_all else []
        states = {one.name: state_of(one, view.now) for one in found}
        causes = await causes_of(view, found)
        unexplained = [
            one.name
            for one in found
            if states[one.name] == "behind" and one.name not in causes and not one.is_full
        ]
        values = {
            "queues": worst_first(found, view.now),
            "states": states,
            "causes": causes,
            "free": await free_slots(view.database, unexplained) if view.sees_all else {},
            "internal": INTERNAL_QUEUE,
            "late": LATE,
            "pause": pause,
            "after": view.get("after"),
            "following": names[LISTED - 1] if len(names) > LISTED else None,
            "pairs": pairs[:PAIRS],
            "more_pairs": max(0, len(pairs) - PAIRS),
        }
        verdict = _verdict(states.values(), sum(one.dead > 0 for one in found), pause)
        return Shown(f"{verdict} · Queues", {**values, "verdict": verdict}, here="Queues")


def worst_first(found: Sequence[OverviewQueue], now: datetime) -> list[OverviewQueue]:
    """Those in trouble first, the one of Holdfast's own jobs last."""

    def place(queue: OverviewQueue) -> tuple[bool, int, bool, str]:
        return (
            queue.name == INTERNAL_QUEUE,
            STATES.index(state_of(queue, now)),
            not queue.dead,
            queue.name,
        )

    return sorted(found, key=place)


async def causes_of(view: View, found: Sequence[OverviewQueue]) -> dict[str, OverviewEndpoint]:
    """By queue: the endpoint that holds it up."""
    if not view.sees_all or not any(one.endpoint and lateness(one, view.now) for one in found):
        return {}
    listed = await endpoints.list_endpoints(view.database, MOST_ENDPOINTS)
    known = {one.name: limit_of(one) for one in listed}
    causes = {one.name: held_up_by(one, view.now, known) for one in found}
    return {name: cause for name, cause in causes.items() if cause is not None}


async def _names(view: View, after: str) -> list[str]:
    """One more than are listed."""
    if view.caller.queues is None:
        return await queues.queue_names(view.database, LISTED + 1, after or None)
    return sorted(name for name in view.caller.queues if name > after)[: LISTED + 1]


def state_of(queue: OverviewQueue, now: datetime) -> str:
    """In a word: whether its ready jobs start."""
    if queue.paused:
        return "paused"
    if not queue.is_served:
        return "no worker"
    return "behind" if queue.oldest is not None and now - queue.oldest > LATE else "open"


def _verdict(states: Collection[str], with_letters: int, pause: FullPause | None) -> str:
    if pause is not None:
        return "All queues are paused"
    counts = Counter(states) + Counter({"dead": with_letters})
    parts = [f"{counted(counts[state], 'queue')} {said}" for state, said in WORDS.items() if counts[state]]
    return ", ".join(parts) or "All queues are open"
