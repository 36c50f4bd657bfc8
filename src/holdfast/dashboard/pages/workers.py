"""Workers: who takes jobs, how busy they are, how they left, and how many are needed."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from holdfast.api.request.pages import read_number
from holdfast.client.read_id import read_id
from holdfast.dashboard.job_rows import JobRow, job_rows
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import doctor_facts, queues, report, worker_list
from holdfast.db.jobs import page_outlines
from holdfast.model.human_readable import counted, some
from holdfast.model.id import WorkerId
from holdfast.model.state import State
from holdfast.model.worker import LeftWorkers, WorkerSummary
from holdfast.model.worker_need import WorkerNeed

MOST = 1000  # counted
LISTED = 100
NEGLECTED = 100  # queues without a worker, counted
QUEUES = 50
LEFT = 24  # hours and groups
RUNNING, ENDED = 20, 10  # jobs of a worker
LOOKS = {
    "working": ("running", "running"),
    "idle": ("ready", "ready"),
    "draining": ("attention", "deferred"),
    "lost": ("bad", "lost"),
}

Forecast = tuple[list[WorkerNeed], list[LeftWorkers]]


class Workers(Page):
    path = "/workers"
    template = "workers.html"

    def __init__(self) -> None:
        self._kept: Kept[None, Forecast] = Kept(timedelta(seconds=30))

    async def read(self, view: View) -> Shown:
        is_all = view.get("all") == "1"
        skip = read_number(view.get("skip") or None, MOST) or 0
        found = await worker_list.list_workers(view.database, MOST + 1, live_only=not is_all)
        needs, left = await self._kept.get(None, lambda: _forecast(view), view.share)
        live = [one for one in found if one.state in ("working", "draining")]
        slots, running = sum(one.slots for one in live), await worker_list.count_running_jobs(view.database)
        more = "More than " if len(found) > MOST else ""
        verdict = f"{more}{counted(len(live), 'live worker')}" if live else "No worker is running"
        neglected = await doctor_facts.neglected_queues(view.database, NEGLECTED)
        shown = found[skip : min(skip + LISTED, MOST)]
        busy = await worker_list.running_by_worker(view.database, [one.id for one in shown])
        values = {
            "workers": [(one, busy.get(one.id, 0)) for one in shown],
            "has_more": len(found) > MOST,
            "most": MOST,
            "skip": skip,
            "listed": LISTED,
            "following": skip + LISTED if skip + LISTED < min(len(found), MOST) else None,
            "is_all": is_all,
            "verdict": verdict,
            "neglected": neglected_words(neglected) if live else "",
            "slots": slots,
            "running": running,
            "needs": sorted(
                ((one, _slots_of(one.queue, live)) for one in needs), key=lambda pair: pair[1] > 0
            ),
            "left": left,
            "looks": LOOKS,
            "state_of": state_of,
            "groups": sorted({one.group for one in live if one.group}),
        }
        return Shown(f"{verdict} · Workers", values, here="Workers")


class Worker(Page):
    path = "/workers/{worker_id}"
    template = "worker.html"

    def __init__(self) -> None:
        self._kept: Kept[WorkerId, list[JobRow]] = Kept(timedelta(seconds=10))

    async def read(self, view: View) -> Shown:
        worker = WorkerId(read_id(view.path["worker_id"]))
        found = await worker_list.require_worker(view.database, worker)
        name = f"{found.host or 'unknown host'}, pid {found.pid}" if found.pid else str(found.id)
        mine = {"worker": str(found.id)}
        running = await page_outlines(view.database, {**mine, "state": State.RUNNING}, limit=RUNNING)
        values = {
            "found": found,
            "name": name,
            "metadata": view.masking.masked(found.metadata),
            "looks": LOOKS,
            "state": state_of(found, len(running.items)),
            "running": await job_rows(view, running.items),
            "more_run": running.next is not None,
            "latest": await self._kept.get(found.id, lambda: _latest(view, mine), view.share),
        }
        return Shown(f"{name} is {values['state']} · Workers", values, name, (("Workers", "/workers"),))


def state_of(worker: WorkerSummary, running: int) -> str:
    """A worker that waits for jobs is idle. `running`: its jobs now, which its heartbeat reports later."""
    return "idle" if worker.state == "working" and not running else worker.state


def neglected_words(queues: Sequence[str]) -> str:
    """2 queues with ready jobs have no worker: mail, sms"""
    if not queues:
        return ""
    has = "has" if len(queues) == 1 else "have"
    return f"{counted(len(queues), 'queue')} with ready jobs {has} no worker: {some(queues)}"


def _slots_of(queue: str, live: Sequence[WorkerSummary]) -> int:
    return sum(one.slots for one in live if queue in one.queues)


async def _latest(view: View, mine: Mapping[str, str]) -> list[JobRow]:
    """Jobs that it ran last and that do not run now, the newest first."""
    found = await page_outlines(view.database, mine, limit=RUNNING + ENDED)
    ended = [one for one in found.items if one.state is not State.RUNNING]
    return await job_rows(view, ended[:ENDED])


async def _forecast(view: View) -> Forecast:
    """Workers that the queues with work need, paused ones aside; those that left in a day, newest first."""
    found = await queues.list_queues(view.database, QUEUES)
    needs = await report.worker_needs(view.database, [one.name for one in found])
    left = await worker_list.left_workers(view.database, timedelta(days=1))
    wanted = [one for one in needs if one.most != 0 and (one.workers or one.rate_per_minute)]
    return wanted, left[::-1][:LEFT]
