"""The jobs before a job in its line, which take all that may start now: which they are, and what is full."""

import re
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from holdfast.dashboard.free_slots import free_slots
from holdfast.dashboard.job.reasons import Reason
from holdfast.dashboard.page import View
from holdfast.dashboard.words import short_id
from holdfast.db import endpoints, jobs, queues, stats
from holdfast.model.error import NotFound
from holdfast.model.human_readable import counted
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.state import State
from holdfast.model.timeline import Blocker

BEHIND = "behind"
ONE = re.compile(r"Job ([0-9a-f-]{36}) ")
SEVERAL = re.compile(r"(\d+) jobs ")
MOST_RUNNING = 100  # counted


async def with_line(view: View, job: Job, blockers: Sequence[Blocker], reasons: list[Reason]) -> list[Reason]:
    """The reasons, in the order of the blockers that block; the line has the state of its first job, and why
    that one has not started.
    """
    blocking = [one for one in blockers if one.blocks]
    known = [one.detail for one in blocking]
    return [
        await _in_line(view, job, blocker.detail, reason, known) if blocker.blocker == BEHIND else reason
        for blocker, reason in zip(blocking, reasons, strict=True)
    ]


async def _in_line(view: View, job: Job, detail: str, reason: Reason, known: Sequence[str]) -> Reason:
    """`known`: what the page says anyway."""
    several, one = SEVERAL.match(detail), ONE.match(detail)
    before = int(several[1]) if several else 1
    full = await _full(view, job, before)
    limit = f": {full}" if full else ""
    if one is None:
        words = f"{counted(before, 'job')} before it in line {'takes' if before == 1 else 'take'}"
        return replace(reason, words=f"{words} all that may start now{limit}.")
    ahead = JobId(UUID(one[1]))
    found = await jobs.get_job(view.database, ahead)
    first = f"is {found.state} and first in line" if found else "was first in line"
    named = replace(reason, subject=f"Job {short_id(ahead)}", path=f"/jobs/{ahead}")
    held = await _held(view, found, known) if found and found.state is State.READY else ""
    return replace(named, words=f"{first}; it takes the only place that is free{limit}.{held}")


async def _full(view: View, job: Job, before: int) -> str:
    """The limit that leaves room for so many jobs; empty if it is none of those that can be counted here."""
    if job.endpoint and view.sees_all:
        try:
            found = await endpoints.get_endpoint(view.database, job.endpoint)
        except NotFound:
            return ""
        if found.limit - found.in_flight == before:
            return f"{found.name} admits {counted(found.limit, 'call')} at once, {found.in_flight} in flight"
    queue = await queues.get_queue(view.database, job.queue)
    if queue.max_concurrent is None or queue.max_concurrent > MOST_RUNNING:
        return ""
    running = await jobs.page_outlines(
        view.database, {"queue": job.queue, "state": State.RUNNING}, limit=MOST_RUNNING
    )
    if queue.max_concurrent - len(running.items) != before:
        return ""
    return f"the queue runs at most {counted(queue.max_concurrent, 'job')} at once, {len(running.items)} now"


async def _held(view: View, first: Job, known: Sequence[str]) -> str:
    """Why the first job in line has not started."""
    found = await stats.explain(view.database, first.id)
    blocker = next((one.detail for one in found if one.blocks), None)
    if blocker is not None:
        return "" if blocker in known else f" {blocker}"
    free = (await free_slots(view.database, [first.queue])).get(first.queue) if view.sees_all else None
    if free is None:
        return " It could start now."
    if not free.slots:
        return " No worker of its queue has a free slot."
    return f" It could start now: {free.host} has free slots ({free.words})."
