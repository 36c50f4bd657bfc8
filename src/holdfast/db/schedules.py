"""The verbs on schedules."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from holdfast.db.read_rows import read_all, read_first
from holdfast.db.statement import Executor, fetch_value, run
from holdfast.model.audit import SettingChange
from holdfast.model.id import JobId
from holdfast.model.schedule import DueSchedule, Fired, Schedule

SET = "select setting, before, after from holdfast.set_schedule($1::text, $2::jsonb, $3::text, $4::text)"
DECLARE = "select holdfast.declare_schedules($1::text, $2::jsonb)"
PAUSE = "select holdfast.pause_schedule($1::text, $2::text, $3::text)"
RESUME = "select holdfast.resume_schedule($1::text, $2::text, $3::text)"
REMOVE = "select holdfast.remove_schedule($1::text, $2::text, $3::text)"
RUN = "select holdfast.run_schedule($1::text, $2::text, $3::text)"
DUE = """
select name, cron, every, tz, missed, counts_from, next_slot, now
from holdfast.due_schedules($1::integer)
"""
CHECK = "select holdfast.check_schedule($1::text, $2::timestamptz, $3::timestamptz, $4::text)"
FIRE = """
select result, job, problem
from holdfast.fire_schedule($1::text, $2::timestamptz, $3::timestamptz, $4::timestamptz)
"""
_SCHEDULE = """
select
  name, state, task, pipeline, cron, every, tz, payload, options, missed, overlap, problem, counts_from,
  next_slot, paused_at, paused_reason, last_slot, last_job, last_state, skipped_slot, skipped_because, app,
  undeclared_at
from holdfast.schedule_view
"""
LIST = f"{_SCHEDULE} where name > coalesce($1::text, '') order by name limit $2::integer"
GET = f"{_SCHEDULE} where name = $1::text"

Settings = Mapping[str, Any]


async def set_schedule(
    on: Executor, name: str, settings: Settings, reason: str | None, actor: str
) -> list[SettingChange]:
    """Makes it, or changes the keys given; returns what changed."""
    return await read_all(on, SettingChange, SET, name, json.dumps(settings), reason, actor)


async def declare_schedules(on: Executor, app: str, schedules: Mapping[str, Settings]) -> None:
    """All that an app declares, by name."""
    await run(on, DECLARE, app, json.dumps(schedules))


async def pause_schedule(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, PAUSE, name, reason, actor)


async def resume_schedule(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, RESUME, name, reason, actor)


async def remove_schedule(on: Executor, name: str, reason: str | None, actor: str) -> None:
    await run(on, REMOVE, name, reason, actor)


async def run_schedule(on: Executor, name: str, reason: str | None, actor: str) -> JobId:
    """The job that it made."""
    return JobId(await fetch_value(on, RUN, name, reason, actor))


async def due_schedules(on: Executor, limit: int) -> list[DueSchedule]:
    return await read_all(on, DueSchedule, DUE, limit)


async def check_schedule(
    on: Executor, name: str, counts_from: datetime, first_slot: datetime | None, problem: str | None = None
) -> bool:
    """False if another worker has checked it, or it was changed meanwhile."""
    return bool(await fetch_value(on, CHECK, name, counts_from, first_slot, problem))


async def fire_schedule(
    on: Executor, name: str, slot: datetime, following: datetime, newest: datetime | None = None
) -> Fired | None:
    """None if another call was faster."""
    return await read_first(on, Fired, FIRE, name, slot, following, newest)


async def list_schedules(on: Executor, limit: int, after: str | None = None) -> list[Schedule]:
    """By name, after the given name."""
    return await read_all(on, Schedule, LIST, after, limit)


async def get_schedule(on: Executor, name: str) -> Schedule | None:
    return await read_first(on, Schedule, GET, name)
