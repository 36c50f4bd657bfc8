"""An installation with hostile text in every field that a page shows."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

from holdfast.client import dead
from holdfast.client.app import Holdfast
from holdfast.client.schedule import schedule_wire
from holdfast.db import endpoints, flags, moves, queues, rollouts, rules, schedules
from holdfast.db.actions import request_action
from holdfast.db.connect import Connection
from holdfast.model.access_key import hash_secret
from holdfast.model.action import ActionName
from holdfast.model.id import JobId
from holdfast.model.rule import RuleOwner
from tests.builders import (
    Running,
    a_worker,
    cancelled_job,
    claim_one,
    completed_job,
    fail,
    ready_job,
    ready_jobs,
    rejected_job,
    report,
    running_job,
    to_json,
)
from tests.dashboard.hostile import HOSTILE, NAME
from tests.stage_builders import a_pipeline, entered_job, walked_job

SCHEDULE = NAME[:100]
STAGES = [f"{place}{NAME}" for place in range(3)]
REASON = HOSTILE[:2000]
WORKER: dict[str, Any] = {"host": NAME, "group": NAME, "version": NAME, "metadata": {NAME: HOSTILE[:500]}}
JOB = {"queue": NAME, "task": NAME, "origin": NAME, "actor": NAME}
TABS = ("payload", "output", "checkpoints", "logs", "errors")

Addresses = dict[str, list[str]]


async def make_hostile(app: Holdfast) -> Addresses:
    """By the path of a page: its addresses."""
    async with app.database.transaction() as conn:
        await conn.execute("select holdfast.make_partitions()")
        await _settings(conn)
        run, jobs, workers = await _jobs(conn)
        await conn.execute(
            "select holdfast.sample_depths(), holdfast.summarise_ends(), holdfast.close_runs()"
        )
    await app.metrics.report("hostile", 1.0, {"server": NAME})
    action = await _action(app)
    event = (await app.audit.find(1, cause="set_flag"))[0].id
    return _addresses(run, jobs, workers) | {
        "/actions/{action}": [f"/actions/{action}"],
        "/audit/{number}": [f"/audit/{event}"],
    }


def _addresses(run: UUID, jobs: Sequence[UUID], workers: Sequence[UUID]) -> Addresses:
    part = quote(NAME, safe="")
    asked = {"task": NAME, "payload": json.dumps({"size": HOSTILE}, ensure_ascii=False), "origin": NAME}
    found = [{}, {"queue": NAME, "label": f"{NAME}={HOSTILE[:1000]}"}, {"payload": f"{NAME[:20]}:{NAME}"}]
    plain = ("/", "/actions", "/doctor", "/endpoints", "/errors", "/pipelines", "/queues", "/schedules")
    return {path: [path] for path in plain} | {
        "/audit": ["/audit?verify=1"],
        "/dead": ["/dead", f"/dead?{urlencode({'queue': NAME})}"],
        "/dev/capture-monitor": ["/dev/capture-monitor"],
        "/endpoints/{name:path}": [f"/endpoints/{part}"],
        "/flags": [f"/flags?{urlencode({'rollout': NAME, 'key': HOSTILE[:400]})}"],
        "/jobs": [f"/jobs?{urlencode(query)}" for query in found],
        "/jobs/{job_id}": [f"/jobs/{jobs[0]}?tab={tab}" for tab in TABS]
        + [f"/jobs/{job}" for job in jobs[1:]],
        "/keys": ["/keys?all=1"],
        "/pipelines/{name:path}": [f"/pipelines/{part}"],
        "/queues/{name:path}": [f"/queues/{part}", "/queues/labelled"],
        "/reports": ["/reports?since=1h"],
        "/rules": [f"/rules?{urlencode(asked)}"],
        "/runs": ["/runs", f"/runs?{urlencode({'name': NAME})}"],
        "/runs/{run_id}": [f"/runs/{run}"],
        "/workers": ["/workers?all=1"],
        "/workers/{worker_id}": [f"/workers/{worker}" for worker in workers],
    }


async def _settings(conn: Connection) -> None:
    await endpoints.declare_endpoint(conn, NAME, {"max": 3})
    await endpoints.declare_endpoint(conn, "stopped", {"max": 3, "fallback": NAME})
    await endpoints.open_endpoint(conn, "stopped", REASON, NAME)
    await queues.set_queue(conn, NAME, {"endpoint": NAME, "stats_label": NAME}, REASON, NAME)
    await queues.set_queue(conn, "labelled", {"stats_label": NAME}, REASON, NAME)
    await moves.set_rebalance(conn, NAME, "labelled", {"ratio": 2}, REASON, NAME)
    for place, target in enumerate(({"task": NAME}, {"pipeline": NAME})):
        settings = schedule_wire("one", {**target, "every": "1h", "payload": {NAME: HOSTILE}})
        await schedules.declare_schedules(conn, NAME, {f"{place}{SCHEDULE[:90]}": settings})
    await schedules.pause_schedule(conn, f"0{SCHEDULE[:90]}", REASON, NAME)
    condition = f"$.payload.size == {json.dumps(NAME)}"
    for kind, more in ((RuleOwner.TASK, {"queue": NAME}), (RuleOwner.QUEUE, {"points": 1})):
        await rules.set_rule(conn, kind, NAME, NAME, {"condition": condition, **more}, REASON, NAME)
    await flags.set_flag(conn, "slots", "20", None, NAME, REASON, NAME)
    await flags.set_flag(conn, "rescue", "off", NAME, None, REASON, NAME)
    await rollouts.set_rollout(conn, NAME, 10.0, REASON, NAME)


async def _jobs(conn: Connection) -> tuple[UUID, list[UUID], list[UUID]]:
    """The run of most of them, jobs in all states, the one with the most text first, and workers."""
    worker = await a_worker(conn, [NAME, f"{NAME}.other"], **WORKER)
    options = {"labels": {NAME[:50]: NAME}, "origin": NAME, "actor": NAME, "budget": "5 USD"}
    run: UUID = await conn.fetchval("select holdfast.start_run($1, $2)", NAME, to_json(options))
    job: dict[str, Any] = {**JOB, "run": run}
    first = await _dead_job(conn, worker, job)
    running = await running_job(conn, worker, **job)
    await report(conn, running, done=1, total=2, item=HOSTILE, note=HOSTILE)
    others = [
        (await completed_job(conn, {NAME: HOSTILE}, **job)).id,
        (await rejected_job(conn, HOSTILE, **job)).id,
        await cancelled_job(conn, **job),
        *await _in_pipeline(conn),
        *await ready_jobs(conn, 2, **job),
    ]
    await conn.execute("select holdfast.cancel_jobs($1, $2, $3)", [others[-1]], REASON, NAME)
    await conn.execute("select holdfast.seal_run($1)", run)
    left = await a_worker(conn, [NAME], **WORKER)
    await conn.execute("select holdfast.stop_worker($1)", left)
    await queues.pause_queue(conn, NAME, REASON, NAME)
    return run, [first.id, running.id, *others], [worker, left]


async def _dead_job(conn: Connection, worker: UUID, options: dict[str, Any]) -> Running:
    await ready_job(
        conn,
        payload={HOSTILE: HOSTILE},
        labels={NAME[:100]: HOSTILE[:1000]},
        unique_key=NAME,
        order_key=NAME,
        retry={"delays": [0]},
        **options,
    )
    job = await claim_one(conn, worker)
    await report(conn, job, done=1, total=2, item=HOSTILE, errors=[{"item": HOSTILE, "error": HOSTILE}])
    held = (job.id, job.token)
    await conn.execute("select holdfast.save_checkpoint($1, $2, $3, $4)", *held, NAME, json.dumps(HOSTILE))
    call = {"kind": "model", "name": NAME, "finish_reason": NAME, "error": HOSTILE, "seconds": 1, "units": 3}
    await conn.execute("select holdfast.save_call($1, $2, $3)", *held, json.dumps(call))
    await save_log(conn, job, HOSTILE)
    error = {"type": NAME, "message": HOSTILE, "place": HOSTILE[:1000], "traceback": HOSTILE}
    await fail(conn, job, error_class="permanent", **error)
    await dead.triage(conn, [JobId(job.id)], NAME, assignee=NAME, note=HOSTILE[:8192], reason=REASON)
    return job


async def _in_pipeline(conn: Connection) -> list[UUID]:
    stages = [{"name": one, "task": NAME, "queue": f"q{place}"} for place, one in enumerate(STAGES)]
    await a_pipeline(conn, NAME, stages)
    walked = await walked_job(conn, STAGES[1], name=NAME)
    await fail(conn, walked, error_class="permanent", type=NAME, message=HOSTILE)
    return [walked.id, await entered_job(conn, NAME)]


async def save_log(conn: Connection, job: Running, *messages: str) -> None:
    lines = [["2030-01-01T00:00:00Z", "WARNING", "mail.send", one] for one in messages]
    await conn.execute(
        "select holdfast.save_logs(array[$1::uuid], array[$2::integer], array[$3::uuid], array[0],"
        " array[$4::json])",
        job.id,
        job.attempt,
        job.token,
        json.dumps(lines),
    )


async def _action(app: Holdfast) -> UUID:
    secret = hash_secret((await app.keys.create(NAME, "operator", queues=[NAME], reason=REASON)).secret)
    wanted = {"queue": NAME, "labels": {NAME: NAME}, "payload": {"a": NAME}, "state": "dead"}
    stored = await request_action(
        app.database, secret, ActionName.REPLAY, {"filter": wanted, "pace": "10/s"}, REASON, None
    )
    return stored.id
