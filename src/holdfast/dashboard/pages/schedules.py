"""Schedules: when each makes its next job, how the last one ended, and which are paused or invalid."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from holdfast.client.schedule import SHOWN, coming_slots
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import audit, queues
from holdfast.db.schedules import list_schedules
from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.audit import AuditEvent
from holdfast.model.duration import exact
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted
from holdfast.model.masking import Masking
from holdfast.model.schedule import Schedule

LISTED = 50
SUGGESTED = 200
LONGEST_EDITED = 4000  # characters of a payload in a form
TROUBLES = ("invalid", "failing")
LOADED_WITHIN = timedelta(minutes=1)  # by a live worker
BY_HAND = 200  # runs by hand that are looked at


@dataclass(frozen=True, slots=True)
class ShownSchedule:
    """`when` in words; `given`: what the form that changes it begins with."""

    it: Schedule
    when: str
    slots: Sequence[datetime]
    given: Mapping[str, Any]


class Schedules(Page):
    path = "/schedules"
    template = "schedules.html"

    async def read(self, view: View) -> Shown:
        found = await list_schedules(view.database, LISTED + 1, view.get("after") or None)
        listed = found[:LISTED]
        verdict = _verdict(listed)
        unseen = sum(_is_late(one, view.now) for one in listed)
        values = {
            "schedules": [_shown(one, view.masking) for one in listed],
            "verdict": verdict,
            "is_well": not any(one.state in TROUBLES for one in listed) and not unseen,
            "unseen": unseen,
            "is_late": lambda one: _is_late(one, view.now),
            "by_hand": await _by_hand(view),
            "after": view.get("after"),
            "following": listed[-1].name if len(found) > LISTED else None,
            "tasks": await queues.task_names(view.database, SUGGESTED) if view.may_operate_all else [],
        }
        return Shown(f"{verdict} · Schedules", values, here="Schedules")


def _is_late(one: Schedule, now: datetime) -> bool:
    """No worker has loaded it in the time that one takes at most."""
    return one.state == "new" and one.counts_from < now - LOADED_WITHIN


async def _by_hand(view: View) -> Mapping[str, AuditEvent]:
    """The latest run by hand of each schedule, as far as one look at the audit trail goes."""
    found = await audit.list_events(view.database, {"cause": "run_schedule"}, limit=BY_HAND)
    return {str(one.detail.get("schedule")): one for one in reversed(found.items)}


def _verdict(listed: Sequence[Schedule]) -> str:
    if not listed:
        return "No schedule"
    counts = Counter(one.state for one in listed)
    words = [f"{counts[state]} {state}" for state in (*TROUBLES, "paused", "new", "active") if counts[state]]
    return f"{counted(len(listed), 'schedule')}: {', '.join(words)}"


def _shown(one: Schedule, masking: Masking) -> ShownSchedule:
    return ShownSchedule(one, _when(one), coming_slots(one, SHOWN), _given(one, masking))


def _when(one: Schedule) -> str:
    try:
        return ScheduleTimes.read(one.cron, one.every, one.tz).words()
    except InvalidOption:
        return f"{one.cron}, {one.tz}"


def _given(one: Schedule, masking: Masking) -> dict[str, Any]:
    """By the names of the fields."""
    return {
        "name": one.name,
        "settings.task": one.task,
        "settings.pipeline": one.pipeline,
        "settings.cron": one.cron,
        "settings.every": None if one.every is None else exact(one.every),
        "settings.tz": one.tz,
        "settings.payload": _editable(one.payload, masking, indent=2),
        "settings.options": _editable(one.options, masking) if one.options else "",
        "settings.missed": one.missed,
        "settings.overlap": one.overlap,
    }


def _editable(value: Any, masking: Masking, indent: int | None = None) -> str:
    """Empty if it is too long for a form, or has masked fields: then the form does not change it."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "" if len(text) > LONGEST_EDITED or masking.hides_in(value) else text
