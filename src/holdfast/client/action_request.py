"""A bulk action as it is asked for: a JSON document, checked before it is stored and again before it acts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from holdfast.client.filters import (
    JobFilter,
    LetterFilter,
    letter_wire,
    read_moment,
    read_moment_or_span,
    read_state,
)
from holdfast.client.pacer import read_pace
from holdfast.db.statement import Executor
from holdfast.model.action import ActionName
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.payload import JsonText, encode
from holdfast.model.state import LIVE, State

ALL = frozenset({"filter", "pace", "dry_run"})
OWN: dict[ActionName, frozenset[str]] = {
    ActionName.CANCEL: frozenset(),
    ActionName.REPLAY: frozenset({"stage"}),
    ActionName.RECLAIM: frozenset(),
    ActionName.COMPLETE: frozenset({"output"}),
    ActionName.FAIL: frozenset(),
    ActionName.SET_PRIORITY: frozenset({"priority"}),
    ActionName.REPLAY_DEAD_LETTERS: frozenset({"stage", "limit", "canary", "canary_timeout"}),
    ActionName.RESOLVE_DEAD_LETTERS: frozenset({"status"}),
    ActionName.MOVE: frozenset({"to", "limit"}),
}
MOST_MOVED = 1000  # unless a limit is given, as on the command line
CANARY_TIMEOUT = "10m"
_ENDED = frozenset(State) - LIVE
_NUMBERS = ("attempt", "failures", "priority")
_MOMENTS = ("since", "until")
_TIMES_OF_ENQUEUE = ("enqueued_after", "enqueued_before")


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """`settings` is what the database stores; the filter in it is in the form of the SQL verbs."""

    action: ActionName
    settings: dict[str, Any]
    reason: str

    def __post_init__(self) -> None:
        unknown = sorted(self.settings.keys() - ALL - OWN[self.action])
        if unknown:
            known = ", ".join(sorted(ALL | OWN[self.action]))
            raise InvalidOption(f"The action {self.action} has no setting {unknown[0]}.", f"use {known}")
        if not isinstance(self.settings.get("filter"), dict) or not self.filters:
            raise InvalidOption("filter must not be empty.", 'write it as {"queue": "mail"}')
        if not isinstance(self.settings.get("dry_run", False), bool):
            raise InvalidOption("dry_run must be true or false.", "write true to only count the jobs")
        _ = self.pace, self.priority, self.status, self.stage, self.limit, self.canary, self.canary_timeout
        _ = None if self.action.is_on_letters else self.states
        if self.action is ActionName.MOVE:
            _ = self.to

    @classmethod
    async def read(cls, on: Executor, document: Mapping[str, Any]) -> Self:
        """A request as a caller writes it; a span of time in it becomes absolute by the database's clock."""
        given = {name: value for name, value in document.items() if value is not None}
        action, reason, filters = (
            _action(given.pop("action", None)),
            given.pop("reason", ""),
            given.get("filter"),
        )
        if not isinstance(reason, str):
            raise InvalidOption("reason must be a string.", "say why you do this")
        known = LetterFilter if action.is_on_letters else JobFilter
        return cls(action, {**given, "filter": await _wire(on, filters, known.__annotations__)}, reason)

    @property
    def filters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.settings.get("filter", {})
        return found

    @property
    def is_dry(self) -> bool:
        return self.settings.get("dry_run") is True

    @property
    def pace(self) -> float | None:
        given = self.settings.get("pace")
        return read_pace(None if given is None else str(given))

    @property
    def states(self) -> frozenset[State]:
        """The states of the jobs that it looks for."""
        possible, usual = LIVE, LIVE
        if self.action is ActionName.REPLAY:
            possible, usual = _ENDED, frozenset({State.DEAD})
        elif self.action is ActionName.RECLAIM:
            possible = usual = frozenset({State.RUNNING})
        if "state" not in self.filters:
            return usual
        if (state := read_state(self.filters["state"])) not in possible:
            words = ", ".join(sorted(possible))
            raise InvalidOption(
                f"The action {self.action} cannot change jobs that are {state}.",
                f"this action can change jobs in these states: {words}",
            )
        return frozenset({state})

    @property
    def priority(self) -> int:
        if self.action is not ActionName.SET_PRIORITY:
            return 0
        return _count("priority", self.settings.get("priority"), most=100)

    @property
    def limit(self) -> int | None:
        given = self.settings.get("limit", MOST_MOVED if self.action is ActionName.MOVE else None)
        return None if given is None else _count("limit", given, least=1)

    @property
    def canary(self) -> int:
        return _count("canary", self.settings.get("canary", 0), most=1000)

    @property
    def canary_timeout(self) -> timedelta:
        return parse_duration(self.settings.get("canary_timeout", CANARY_TIMEOUT))

    @property
    def status(self) -> Triage:
        given = self.settings.get("status", Triage.RESOLVED)
        if given not in list(Triage):
            raise InvalidOption(
                f"status must be one of {', '.join(Triage)}.", "leave out status for resolved"
            )
        return Triage(given)

    @property
    def stage(self) -> str | None:
        given = self.settings.get("stage")
        return None if given is None else _text("stage", given)

    @property
    def to(self) -> str:
        return _text("to", self.settings.get("to"))

    @property
    def output(self) -> JsonText | None:
        return encode(self.settings["output"]) if "output" in self.settings else None


def _action(given: Any) -> ActionName:
    if not isinstance(given, str) or given not in list(ActionName):
        raise InvalidOption(f"action must be one of {', '.join(ActionName)}.", "name one of them")
    return ActionName(given)


async def _wire(on: Executor, given: Any, known: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise InvalidOption("filter must be a JSON object.", 'write it as {"queue": "mail"}')
    unknown = sorted(given.keys() - known.keys())
    if unknown:
        raise InvalidOption(f"There is no filter {unknown[0]}.", f"the filters are {', '.join(known)}")
    return await letter_wire(on, {name: _value(name, value) for name, value in given.items()})


def _value(name: str, value: Any) -> Any:
    if value is None or name in ("older_than", "newer_than"):
        return value
    if name in ("labels", "payload"):
        if not isinstance(value, dict):
            raise InvalidOption(f"{name} must be a JSON object.", 'write it as {"customer": "ada"}')
        return value
    if name in _NUMBERS:
        return _count(name, value)
    if name in _TIMES_OF_ENQUEUE:
        return read_moment(_text(name, value))
    return read_moment_or_span(_text(name, value)) if name in _MOMENTS else _text(name, value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= 1000:
        raise InvalidOption(f"{name} must be a non-empty string.", f"write it as {{{name!r}: …}}")
    return value


def _count(name: str, value: Any, least: int = 0, most: int = 2**31 - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidOption(f"{name} must be an integer from {least} to {most:,} (got {str(value)[:100]}).")
    return value
