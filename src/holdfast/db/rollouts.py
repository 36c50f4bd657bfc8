"""Gradual roll-outs."""

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.audit import SettingChange
from holdfast.model.rollout import Rollout

IN_ROLLOUT = "select holdfast.in_rollout($1::text, $2::text)"
# As text: a double has digits that its numeric must not get.
SET = """
select setting, before, after from holdfast.set_rollout($1::text, $2::text::numeric, $3::text, $4::text)
"""
LIST = "select name, percent, changed_at from holdfast.rollout_view order by name"


async def in_rollout(on: Executor, name: str, key: str) -> bool:
    return bool(await fetch_value(on, IN_ROLLOUT, name, key))


async def set_rollout(
    on: Executor, name: str, percent: float, reason: str | None, actor: str
) -> list[SettingChange]:
    """Returns what changed."""
    return await read_all(on, SettingChange, SET, name, f"{percent:g}", reason, actor)


async def list_rollouts(on: Executor) -> list[Rollout]:
    """By name; one that was never set is off and not listed."""
    return await read_all(on, Rollout, LIST)
