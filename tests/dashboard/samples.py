"""An address of every page, in an installation with a busy day behind it."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from holdfast.client.app import Holdfast
from holdfast.db.actions import request_action
from holdfast.db.runs import find_runs
from holdfast.db.worker_list import list_workers
from holdfast.model.access_key import hash_secret
from holdfast.model.action import ActionName
from holdfast.model.run_progress import RunFilter
from tests.dashboard.busy_extras import GOING_RUN

Sample = Callable[[Holdfast], Awaitable[str]]


def plain(path: str) -> Sample:
    async def sample(app: Holdfast) -> str:
        return path

    return sample


async def an_event(app: Holdfast) -> str:
    return f"/audit/{(await app.audit.find(1))[0].id}"


async def a_live_worker(app: Holdfast) -> str:
    return f"/workers/{(await list_workers(app.database, 1))[0].id}"


async def an_action(app: Holdfast) -> str:
    """One that was asked for and stopped, so that it is work for no server."""
    secret = hash_secret((await app.keys.create(f"on-call-{uuid4().hex[:6]}", "operator")).secret)
    settings = {"filter": {"queue": "bill-alerts", "state": "dead"}, "pace": "10/s"}
    stored = await request_action(app.database, secret, ActionName.REPLAY, settings, "rolled back", None)
    await app.job(stored.id).cancel()
    return f"/actions/{stored.id}"


async def a_run(app: Holdfast) -> str:
    """With a budget and a forecast; some of its jobs have ended."""
    (found,) = (await find_runs(app.database, RunFilter(name=GOING_RUN))).items
    return f"/runs/{found.id}"


async def a_job(app: Holdfast) -> str:
    """With stages, calls, attempts and an error."""
    (found,) = await app.jobs(unique_key="post 48213")
    return f"/jobs/{found.id}"


def a_job_in(state: str) -> Sample:
    async def sample(app: Holdfast) -> str:
        (found, *_) = await app.jobs(state=state, queue="bill-alerts")
        return f"/jobs/{found.id}"

    return sample


# By the path of the page: its address, with names of the busy day.
SAMPLES: dict[str, Sample] = {
    "/": plain("/"),
    "/actions": plain("/actions"),
    "/actions/{action}": an_action,
    "/audit": plain("/audit?verify=1"),
    "/audit/{number}": an_event,
    "/dead": plain("/dead"),
    "/dev/capture-monitor": plain("/dev/capture-monitor?since=6h"),
    "/doctor": plain("/doctor"),
    "/endpoints": plain("/endpoints"),
    "/endpoints/{name:path}": plain("/endpoints/ollama-12b"),
    "/errors": plain("/errors"),
    "/jobs/{job_id}": a_job,
    "/flags": plain("/flags?rollout=new-editor&key=17"),
    "/jobs": plain("/jobs?state=dead&queue=bill-alerts"),
    "/keys": plain("/keys?all=1"),
    "/pipelines": plain("/pipelines"),
    "/pipelines/{name:path}": plain("/pipelines/posts"),
    "/queues": plain("/queues"),
    "/queues/{name:path}": plain("/queues/bill-alerts?since=6h"),
    "/reports": plain("/reports?since=1h"),
    "/rules": plain("/rules?task=capture&payload=%7B%22repository_size%22%3A%22large%22%7D"),
    "/runs": plain("/runs"),
    "/runs/{run_id}": a_run,
    "/schedules": plain("/schedules"),
    "/workers": plain("/workers"),
    "/workers/{worker_id}": a_live_worker,
}

# Pages with other dialogs in another state.
MORE_SAMPLES: dict[str, Sample] = {
    "a dead job": a_job_in("dead"),
    "a running job": a_job_in("running"),
}
