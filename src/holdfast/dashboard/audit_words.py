"""An event of the audit trail in words: what happened, to what, and which settings changed."""

import json
from collections.abc import Iterator
from typing import Any

from holdfast.dashboard.words import short_id
from holdfast.model.audit import AuditEvent, SettingChange
from holdfast.model.masking import Masking

MOST_CHANGES = 4  # that a line names
LONGEST = 80  # characters of a value
PAST = {
    "cancel": "Cancelled",
    "complete": "Completed",
    "create": "Created",
    "declare": "Declared",
    "drain": "Drained",
    "extend": "Extended",
    "fail": "Gave up",
    "move": "Moved",
    "pause": "Paused",
    "raise": "Raised",
    "reclaim": "Reclaimed",
    "remove": "Removed",
    "replace": "Replaced",
    "replay": "Replayed",
    "resume": "Resumed",
    "revoke": "Revoked",
    "rotate": "Rotated",
    "run": "Ran",
    "set": "Set",
}


def title_of(event: AuditEvent, masking: Masking) -> str:
    """What happened, in one line: "Cancelled job 59b739b52738", "Set flag slots = 20 for group gpu"."""
    verb, _, noun = event.cause.partition("_")
    noun = noun.replace("_", " ")
    if event.job:
        noun, subject = "", f"job {short_id(event.job)}"
    elif event.cause == "set_flag":
        subject = words_of(event, masking)
    elif event.queue and not noun:
        subject = f"queue {event.queue}"
    elif event.run and not _named(event):
        subject = short_id(event.run)
    else:
        subject = event.queue or _named(event)
    if event.cause == "end":
        return f"{subject[0].upper()}{subject[1:]} ended as {event.to_state}" if subject else "A job ended"
    if verb not in PAST:
        return f"{event.cause.replace('_', ' ').capitalize()}{f': {subject}' if subject else ''}"
    return " ".join(filter(None, (PAST[verb], noun, subject)))


def words_of(event: AuditEvent, masking: Masking) -> str:
    """What it was done to, where that is no job; what changed; and the states that it led from and to."""
    found = changes(event, masking)
    said = [_change(one) for one in found[:MOST_CHANGES]]
    if len(found) > MOST_CHANGES:
        said.append(f"and {len(found) - MOST_CHANGES} more")
    told = ", ".join(said)
    if event.cause == "set_flag" and told:
        scope = event.detail.get("group")
        return f"{told} for {f'group {scope}' if scope else f'queue {event.queue}' if event.queue else 'all'}"
    subject = "" if event.job else event.queue or _named(event)
    arrow = _arrow(event)
    return ": ".join(filter(None, (subject, ", ".join(filter(None, (told, arrow))))))


def changes(event: AuditEvent, masking: Masking) -> list[SettingChange]:
    """What it set, with the value before; figures of an endpoint are beside theirs: limit, limit_before."""
    return [
        SettingChange(one.setting, masking.masked(one.before), masking.masked(one.after))
        for one in _changes(event.detail)
    ]


def shown_detail(event: AuditEvent, masking: Masking) -> dict[str, Any]:
    """Without the values of masked fields. The names of its own fields and of settings are Holdfast's."""
    return {
        name: {setting: masking.masked(one) for setting, one in value.items()}
        if name in ("before", "after") and isinstance(value, dict)
        else masking.masked(value)
        for name, value in event.detail.items()
    }


def _changes(detail: dict[str, Any]) -> Iterator[SettingChange]:
    before, after = detail.get("before"), detail.get("after")
    if isinstance(after, dict):
        known = before if isinstance(before, dict) else {}
        for name, value in after.items():
            if value != known.get(name):
                yield SettingChange(name, known.get(name), value)
    for name, value in detail.items():
        earlier = detail.get(f"{name}_before")
        if earlier is not None and earlier != value:
            yield SettingChange(name, earlier, value)


def _change(one: SettingChange) -> str:
    """A value that was not set before is only named."""
    name = one.setting.replace("_", " ")
    if one.before is None:
        return f"{name} = {value_words(one.after)}"
    return f"{name} {value_words(one.before)} → {value_words(one.after)}"


def value_words(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, float):
        return f"{value:,.4g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _arrow(event: AuditEvent) -> str:
    if event.from_state == event.to_state:
        return ""
    return f"{event.from_state or 'nothing'} → {event.to_state or 'nothing'}"


def _named(event: AuditEvent) -> str:
    """The first thing that its detail names."""
    return next((value for value in event.detail.values() if isinstance(value, str)), "")
