"""The verbs on flags."""

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.audit import SettingChange
from holdfast.model.flag import Flag, WorkerFlags
from holdfast.model.payload import decode

SET = (
    "select setting, before, after"
    " from holdfast.set_flag($1::text, $2::text, $3::text, $4::text, $5::text, $6::text)"
)
LIST = """
select name, queue, "group", value, is_set, set_at, actor, reason
from holdfast.flag_view
order by name, queue nulls first, "group" nulls first
limit $1
"""
OF_WORKER = "select holdfast.worker_flags($1::text)"
RESCUE_OFF = """
select name, queue, "group", value, is_set, set_at, actor, reason
from holdfast.flag_view
where name = 'rescue' and value = 'off'
order by queue nulls first
limit $1
"""


async def set_flag(
    on: Executor,
    name: str,
    value: str | None,
    queue: str | None,
    group: str | None,
    reason: str | None,
    actor: str,
) -> list[SettingChange]:
    """None restores the default. Returns what changed."""
    return await read_all(on, SettingChange, SET, name, value, queue, group, reason, actor)


async def list_flags(on: Executor, limit: int) -> list[Flag]:
    """Each flag with its value for all, then those for one queue or group."""
    return await read_all(on, Flag, LIST, limit)


async def rescue_off(on: Executor, limit: int) -> list[Flag]:
    """Where the flag rescue is off: for all first, then by queue."""
    return await read_all(on, Flag, RESCUE_OFF, limit)


async def worker_flags(on: Executor, group: str | None) -> WorkerFlags:
    """Those that hold for workers of a group."""
    found: WorkerFlags = decode(await fetch_value(on, OF_WORKER, group))
    return found
