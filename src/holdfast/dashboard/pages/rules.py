"""Rules by task and queue, in the order in which they are evaluated, and what they would do with a job."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from holdfast.client.rules import presets
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import queues, rules
from holdfast.model.error import InvalidInput, InvalidOption
from holdfast.model.human_readable import counted
from holdfast.model.payload import encode, read
from holdfast.model.rule import Rule, RuleOwner, RuleTest, TestedRule

LISTED = 500
SUGGESTED = 200
HIGHEST = 100  # priority
NO_TASK = "(no task)"  # of a job that is tried for the rules of a queue
FIELDS = ("task", "queue", "payload", "priority", "labels", "origin")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one task or queue, with what they share."""

    kind: RuleOwner
    owner: str
    base: int | None
    overrides: bool
    rules: Sequence[Rule]


@dataclass(frozen=True, slots=True)
class Tried:
    """What was asked, and the answer or what is wrong with the question."""

    asked: Mapping[str, str]
    found: RuleTest | None = None
    problem: str = ""
    is_paused: bool = False  # the queue in which it would stand

    @property
    def points(self) -> int:
        """Of the rules that count."""
        return sum(one.points or 0 for one in self.matching)

    @property
    def matching(self) -> list[TestedRule]:
        """Those that count, in the order in which they are evaluated."""
        return [one for one in (self.found.rules if self.found else ()) if one.matched and one.enabled]

    @property
    def others(self) -> list[TestedRule]:
        return [one for one in (self.found.rules if self.found else ()) if not (one.matched and one.enabled)]

    @property
    def decides(self) -> str | None:
        """The rule that chose the queue."""
        return next((one.name for one in self.matching if one.queue), None)


class RulesPage(Page):
    path = "/rules"
    template = "rules.html"
    is_live = False  # rules change seldom, and an answer is read

    async def read(self, view: View) -> Shown:
        kind = RuleOwner(view.get("kind")) if view.get("kind") in list(RuleOwner) else None
        owner = view.get("owner") or None
        found = await rules.list_rules(view.database, kind, owner, LISTED + 1)
        values = {
            "sets": _sets(found[:LISTED]),
            "is_cut": len(found) > LISTED,
            "most": LISTED,
            "kind": kind,
            "owner": owner,
            "tried": await _tried(view),
            "because": because,
            "presets": presets(),
            "tasks": await queues.task_names(view.database, SUGGESTED),
            "queues": await queues.queue_names(view.database, SUGGESTED),
        }
        enabled = sum(one.enabled for one in found[:LISTED])
        return Shown(f"{counted(enabled, 'rule')} enabled · Rules", values, here="Rules")


def _sets(found: Sequence[Rule]) -> list[RuleSet]:
    return [
        RuleSet(kind, owner, listed[0].base, listed[0].overrides, listed)
        for (kind, owner), group in groupby(found, lambda rule: (rule.kind, rule.owner))
        if (listed := list(group))
    ]


async def _tried(view: View) -> Tried:
    asked = {name: view.get(name) for name in FIELDS}
    if not asked["task"] and not asked["queue"]:
        return Tried(asked)
    try:
        options = _options(asked)
        payload = encode(_json(asked["payload"] or "{}"))
        found = await rules.test_rules(view.database, asked["task"] or NO_TASK, payload, options)
        return Tried(asked, found, is_paused=await _is_paused(view, found.queue))
    except InvalidInput as exc:
        return Tried(asked, problem=" ".join(part for part in (exc.message, exc.hint) if part))


async def _is_paused(view: View, queue: str) -> bool:
    """A queue that has no job yet is paused only with all others."""
    if await queues.full_pause(view.database):
        return True
    return any(one.paused_at for one in await queues.named_queues(view.database, [queue]))


def _options(asked: Mapping[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {name: asked[name] for name in ("queue", "origin") if asked[name]}
    if asked["priority"]:
        if not asked["priority"].isdecimal() or int(asked["priority"]) > HIGHEST:
            raise InvalidOption(f"Priority must be an integer from 0 to 100 (got {asked['priority']!r}).")
        options["priority"] = int(asked["priority"])
    if asked["labels"].strip():
        options["labels"] = dict(_pair(line) for line in asked["labels"].splitlines() if line.strip())
    return options


def _pair(line: str) -> tuple[str, str]:
    name, equals, value = line.partition("=")
    if not equals or not name.strip():
        raise InvalidOption(f"Labels must be lines of NAME=VALUE (got {line!r}).")
    return name.strip(), value.strip()


def _json(text: str) -> Any:
    try:
        return read(text)
    except ValueError as exc:
        raise InvalidOption(f"Payload must be JSON: {exc}.") from None


def because(rule: TestedRule) -> list[tuple[str, str]]:
    """The facts that its condition names, with their values."""
    return [
        (fact, "absent" if value is None else json.dumps(value, ensure_ascii=False)[:200])
        for fact, value in sorted(rule.looked_at.items())
    ]
