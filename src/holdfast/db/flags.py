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
_FLAG = """
select name, queue, "group", value, is_set, set_at, actor, reason, set_for, allowed, default_value
from holdfast.flag_view
"""
LIST = f"""
{_FLAG}
order by name, queue nulls first, "group" nulls first
limit $1
"""
OF_WORKER = "select holdfast.worker_flags($1::text)"
OF_QUEUE = f"""
{_FLAG}
where queue = $1 or queue is null and "group" is null and set_for = 'queue'
order by name, queue nulls first
"""
RESCUE_OFF = f"""
{_FLAG}
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


async def queue_flags(on: Executor, queue: str) -> list[Flag]:
    """Those that a queue follows or sets: each for all first."""
    return await read_all(on, Flag, OF_QUEUE, queue)


async def rescue_off(on: Executor, limit: int) -> list[Flag]:
    """Where the flag rescue is off: for all first, then by queue."""
    return await read_all(on, Flag, RESCUE_OFF, limit)


async def worker_flags(on: Executor, group: str | None) -> WorkerFlags:
    """Those that hold for workers of a group."""
    found: WorkerFlags = decode(await fetch_value(on, OF_WORKER, group))
    return found
