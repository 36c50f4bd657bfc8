"""The audit trail: events by filter, one event, and whether the days agree with their seals."""

import json
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, cast

from holdfast.api.people.audit import LARGEST
from holdfast.api.request.pages import read_number
from holdfast.client.audit import EventFilter, event_wire, get_event
from holdfast.client.read_id import read_id
from holdfast.dashboard.audit_words import changes, shown_detail, title_of, value_words, words_of
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import audit
from holdfast.model.audit import AuditDay, DayStatus
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted

PAGE = 50
DAYS = 14
MOST_CHANGES = 50  # of one event
FILTERS = ("cause", "actor", "login", "queue", "job")


class AuditTrail(Page):
    path = "/audit"
    template = "audit.html"
    is_live = False

    async def read(self, view: View) -> Shown:
        given = {name: view.get(name).strip() for name in FILTERS if view.get(name).strip()}
        place = read_number(view.get("after") or None, LARGEST)
        found = await audit.list_events(view.database, event_wire(_filter(given)), place, PAGE)
        days = await _verified(view) if view.get("verify") else None
        values = {
            "events": found.items,
            "next": found.next,
            "given": given,
            "names": FILTERS,
            "days": days,
            "span": DAYS,
            "seals": None if days is None else seal_words(days),
            "is_broken": any(one.status is DayStatus.BROKEN for one in days or ()),
            "words_of": partial(words_of, masking=view.masking),
        }
        return Shown("Audit trail", values)


class AuditEventPage(Page):
    path = "/audit/{number}"
    template = "audit_event.html"
    is_live = False

    async def read(self, view: View) -> Shown:
        number = read_number(view.path["number"], LARGEST)
        if number is None:
            raise InvalidOption("The id of an audit event must be an integer.")
        event = await get_event(view.database, number)
        detail = shown_detail(event, view.masking)
        lines = json.dumps(detail, indent=2, ensure_ascii=False).split("\n")
        title = title_of(event, view.masking)
        values = {
            "event": event,
            "lines": lines if event.detail else [],
            "heading": title,
            "words": words_of(event, view.masking),
            "changes": changes(event, view.masking)[:MOST_CHANGES],
            "value_words": value_words,
        }
        return Shown(title[:200], values, here=f"Event {number}", crumbs=(("Audit trail", "/audit"),))


async def _verified(view: View) -> list[AuditDay]:
    """Reads every event of these days, so that it is done only when asked for. The newest day first."""
    since = (view.now - timedelta(days=DAYS)).date()
    return (await audit.verify_events(view.database, since, None, None))[::-1]


def _filter(given: Mapping[str, str]) -> EventFilter:
    wanted: dict[str, Any] = dict(given)
    if "job" in wanted:
        wanted["job"] = read_id(wanted["job"])
    return cast(EventFilter, wanted)


def seal_words(days: list[AuditDay]) -> str:
    """Only what was compared: a day without a seal says nothing about its events."""
    sealed = [one for one in days if one.status in (DayStatus.INTACT, DayStatus.BROKEN)]
    broken = sum(one.status is DayStatus.BROKEN for one in days)
    if broken:
        verb = "does not agree with its seal" if broken == 1 else "do not agree with their seals"
        return f"{counted(broken, 'day')} {verb}."
    if not sealed:
        return "No day is sealed yet. A worker seals each day (UTC) soon after it is over."
    verb = "agrees with its seal" if len(sealed) == 1 else "agree with their seals"
    return f"{counted(len(sealed), 'sealed day')} of the last {DAYS} {verb}."
