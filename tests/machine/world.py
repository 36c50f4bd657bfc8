"""The whole world, as the database and as the model have it, in the same words."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import asyncpg
from asyncpg import Record

from tests.machine.model import Model
from tests.machine.parts import Job, Run

World = dict[str, dict[Any, Any]]

COUNTERS = ("state", "queue", "attempt", "failures", "losses", "deferrals", "generation", "visit")

LIVE = """
select id, state, queue, attempt, failures, losses, deferrals, generation, visit,
  worker_id, token, due_at, rank_at, stop_at, cancel_asked_at, deferred_since, deadline,
  (select last_seq from holdfast.order_keys where key = order_key) - order_seq,
  releases, (select is_suspect from holdfast.lanes as l where l.lane = j.lane)
from holdfast.jobs as j
"""
ENDED = """
select id, state, queue, attempt, failures, losses, deferrals, generation, visit, reason, ended_at
from holdfast.history
"""
KEYS = "select scope, key, job_id, until_end, expires_at from holdfast.unique_keys"
LINES = "select key, head from holdfast.order_keys"
RUNS = """
select id, state,
  total::bigint, completed::bigint, rejected::bigint, cancelled::bigint, dead::bigint,
  generation
from holdfast.run_view
"""
LETTERS = "select job_id, generation, reason, replayed_at is not null as replayed from holdfast.dead_letters"
ATTEMPTS = "select job_id, attempt, outcome, counted from holdfast.attempts"
CHECKPOINTS = "select job_id, name, attempt from holdfast.checkpoints"
PROGRESS = "select job_id, done from holdfast.progress"
SCHEDULES = "select name, counts_from, next_slot, paused_at is not null, last_job from holdfast.schedules"
RELEASES = "select id, key from holdfast.order_releases"


async def read_world(conn: "asyncpg.Connection[Record]") -> World:
    return {
        "live": _by(1, await conn.fetch(LIVE)),
        "ended": _by(1, await conn.fetch(ENDED)),
        "unique keys": _by(2, await conn.fetch(KEYS)),
        "order keys": _by(1, await conn.fetch(LINES)),
        "runs": _by(1, await conn.fetch(RUNS)),
        "dead letters": _by(1, await conn.fetch(LETTERS)),
        "attempts": _by(2, await conn.fetch(ATTEMPTS)),
        "checkpoints": _by(2, await conn.fetch(CHECKPOINTS)),
        "progress": _by(1, await conn.fetch(PROGRESS)),
        "schedules": _by(1, await conn.fetch(SCHEDULES)),
        "releases left over": _by(1, await conn.fetch(RELEASES)),
    }


def _by(width: int, rows: Iterable[Record]) -> dict[Any, Any]:
    """The first columns are the name of a row, the others what is known of it."""
    return {tuple(row.values())[:width]: tuple(row.values())[width:] for row in rows}


def expected_world(model: Model) -> World:
    jobs = model.jobs.values()
    return {
        "live": {(job.id,): _live(model, job) for job in jobs if job.is_live},
        "ended": {(job.id,): (*_counters(job), job.reason, job.ended_at) for job in jobs if not job.is_live},
        "unique keys": {name: (key.job, key.until_end, key.expires_at) for name, key in model.keys.items()},
        "order keys": {(key,): (line.head,) for key, line in model.lines.items()},
        "runs": {(run.id,): _run(run) for run in model.runs.values()},
        "dead letters": {(id_,): tuple(asdict(letter).values()) for id_, letter in model.letters.items()},
        "attempts": {name: (attempt.outcome, attempt.counted) for name, attempt in model.attempts.items()},
        "checkpoints": {name: (attempt,) for name, attempt in model.checkpoints.items()},
        "progress": {(id_,): (done,) for id_, done in model.progress.items()},
        "schedules": {("hourly",): tuple(asdict(model.schedule).values())},
        "releases left over": {},
    }


def _counters(job: Job) -> tuple[object, ...]:
    return tuple(getattr(job, name) for name in COUNTERS)


def _live(model: Model, job: Job) -> tuple[object, ...]:
    """The number at which a line begins is the clock's: places count from its end."""
    rank = job.rank if job.state in ("ready", "running") else None
    behind = model.lines[job.order_key].last_seq - job.seq if job.order_key is not None else None
    return (
        *_counters(job),
        *(job.worker, job.token, job.due, rank, job.stop_at, job.cancel_asked_at),
        *(job.deferred_since, job.deadline, behind, job.releases, job.is_suspect),
    )


def _run(run: Run) -> tuple[object, ...]:
    return run.state, run.total, *run.counts.values(), run.generation


def differences(actual: World, expected: World) -> list[str]:
    """One line for each thing that is not as the model has it."""
    return [
        f"{part} {name}: database {actual[part].get(name)}, model {expected[part].get(name)}"
        for part in expected
        for name in {**actual[part], **expected[part]}
        if actual[part].get(name) != expected[part].get(name)
    ]
