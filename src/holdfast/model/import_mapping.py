"""How the rows of another queue table become jobs: a mapping that an operator writes in TOML."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption

FOREVER = "forever"
# The options of a job that a mapping can give, beside its payload and labels.
OPTIONS = ("task", "queue", "priority", "run_at", "max_failures", "group", "order_key")
NUMBERS = ("priority", "max_failures")
NAMES = ("id", "pending", "order", "scope", "unique_for")
KEYS = (*NAMES, *OPTIONS, "payload", "labels")

_KEY = re.compile(r"""\s*\[?\s*["']?([\w-]+)["']?\s*[].=]""")


@dataclass(frozen=True, slots=True)
class Value:
    """What an option gets: a constant, or what a column holds.

    `values` says what stands for each value of the column. `lowest` and `highest` are the column's values of
    the priorities 0 and 100: lowest = 10 and highest = 1 invert it. `zone` is that of a time without one.
    """

    constant: Any = None
    column: str | None = None
    values: Mapping[str, Any] | None = None
    lowest: float | None = None
    highest: float | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class ImportMapping:
    """`payload`: the JSON column, or the columns by their names in the payload. `lines`: of each key."""

    id: str
    pending: str
    payload: str | Mapping[str, str]
    options: Mapping[str, Value]
    labels: Mapping[str, Value] = field(default_factory=dict)
    order: str | None = None
    scope: str | None = None
    unique_for: str | float = FOREVER
    name: str = "the mapping"
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, str]:
        """Each column that it names, with the key that names it."""
        payload = {self.payload: "payload"} if isinstance(self.payload, str) else {}
        order = {self.order: "order"} if self.order else {}
        return self.value_columns | payload | order | {self.id: "id"}

    @property
    def value_columns(self) -> dict[str, str]:
        """Those whose values become parts of a job."""
        parts = {} if isinstance(self.payload, str) else dict.fromkeys(self.payload.values(), "payload")
        for key, value in self.options.items():
            if value.column is not None:
                parts[value.column] = key
        for value in self.labels.values():
            if value.column is not None:
                parts.setdefault(value.column, "labels")
        return parts

    def error(self, key: str, message: str, hint: str) -> InvalidOption:
        """`message` says what is wrong with the key."""
        line = f", line {self.lines[key]}" if key in self.lines else ""
        return InvalidOption(f"{self.name}{line}: {message}", hint)


def read_mapping(text: str, name: str) -> ImportMapping:
    """`name` is the file's, for messages."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise InvalidOption(f"{name} is not TOML: {exc}.", "correct the line that this error names") from None
    return _Reader(given, name, _lines(text)).read()


class _Reader:
    def __init__(self, given: dict[str, Any], name: str, lines: Mapping[str, int]) -> None:
        self._given, self._name, self._lines = given, name, lines

    def read(self) -> ImportMapping:
        for key in self._given:
            if key not in KEYS:
                raise self._error(key, f"a mapping has no key {key}.", f"the keys are {', '.join(KEYS)}")
        for key in ("id", "pending", "task", "payload"):
            if key not in self._given:
                raise self._error(key, f"the key {key} is missing.", _EXAMPLES[key])
        labels = self._given.get("labels", {})
        if not isinstance(labels, dict):
            raise self._error("labels", "labels must be a table.", _EXAMPLES["labels"])
        return ImportMapping(
            **{name: self._text(name) for name in ("id", "pending", "order", "scope") if name in self._given},
            payload=self._payload(),
            options={name: self._option(name, self._given[name]) for name in OPTIONS if name in self._given},
            labels={name: self._option("labels", given) for name, given in labels.items()},
            unique_for=self._unique_for(),
            name=self._name,
            lines=self._lines,
        )

    def _text(self, key: str) -> str:
        given = self._given[key]
        if not isinstance(given, str) or not given:
            raise self._error(key, f"{key} must be a non-empty string (got {given!r}).", _EXAMPLES[key])
        return given

    def _payload(self) -> str | dict[str, str]:
        given = self._given["payload"]
        match given:
            case {"column": str(column), **rest} if not rest:
                return column
            case {"columns": list(columns), **rest} if not rest and _are_texts(columns) and columns:
                return {column: column for column in columns}
            case {"columns": dict(columns), **rest} if not rest and _are_texts(columns.values()):
                return columns
            case _:
                raise self._error(
                    "payload", f"payload must name its columns (got {given!r}).", _EXAMPLES["payload"]
                )

    def _option(self, key: str, given: Any) -> Value:
        if not isinstance(given, dict):
            return Value(constant=self._constant(key, given))
        allowed = {"column", "values"}
        allowed |= {"priority": {"lowest", "highest"}, "run_at": {"zone"}}.get(key, set())
        unknown = sorted(given.keys() - allowed)
        if unknown or not isinstance(given.get("column"), str):
            what = f"{key} has no key {unknown[0]}." if unknown else f"{key} needs a column."
            raise self._error(key, what, _EXAMPLES[key])
        ends = [given[name] for name in ("lowest", "highest") if name in given]
        if ends and (len(ends) != 2 or not all(map(_is_number, ends)) or ends[0] == ends[1]):
            raise self._error(key, "lowest and highest must be two different numbers.", _EXAMPLES["priority"])
        values = given.get("values")
        if values is not None:
            if not isinstance(values, dict) or ends:
                raise self._error(key, "values must be a table, without lowest and highest.", _EXAMPLES[key])
            given = given | {"values": {name: self._constant(key, one) for name, one in values.items()}}
        return Value(**given)

    def _constant(self, key: str, given: Any) -> Any:
        is_right = {
            "run_at": False,
            "priority": _is_number(given) and isinstance(given, int) and 0 <= given <= 100,
            "max_failures": _is_number(given) and isinstance(given, int) and given >= 1,
            "labels": _is_number(given) or isinstance(given, str | bool),
        }.get(key, isinstance(given, str) and bool(given))
        if not is_right:
            raise self._error(key, f"{key} cannot be {given!r}.", _EXAMPLES[key])
        return given

    def _unique_for(self) -> str | float:
        given = self._given.get("unique_for", FOREVER)
        try:
            return FOREVER if given == FOREVER else parse_duration(given).total_seconds()
        except InvalidOption as exc:
            raise self._error("unique_for", exc.message, _EXAMPLES["unique_for"]) from None

    def _error(self, key: str, message: str, hint: str) -> InvalidOption:
        return ImportMapping("", "", "", {}, name=self._name, lines=self._lines).error(key, message, hint)


_EXAMPLES = {
    "id": 'name the column that identifies a row: id = "id"',
    "pending": "write a condition of SQL: pending = \"status = 'pending'\"",
    "order": 'name the column by which the oldest row comes first: order = "created_at"',
    "scope": 'name the scope of the unique keys: scope = "alert_queue"',
    "unique_for": 'write forever, or a duration longer than the whole import takes: unique_for = "90d"',
    "task": 'write a name, or { column = "kind", values = { new = "match" } }',
    "queue": 'write a name, or { column = "kind", values = { new = "alerts" } }',
    "group": 'write a name, or { column = "worker_group" }',
    "order_key": 'write { column = "customer" }',
    "priority": 'write 0 to 100, or { column = "priority", lowest = 10, highest = 1 }',
    "max_failures": 'write a number from 1, or { column = "max_attempts" }',
    "run_at": 'write { column = "scheduled_for", zone = "UTC" }',
    "payload": 'write { column = "payload" }, { columns = ["a", "b"] } or { columns = { to = "address" } }',
    "labels": 'write { source = "alerts", kind = { column = "kind" } }',
}


def _lines(text: str) -> dict[str, int]:
    """The line of each key of the file, and of each table by its name."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if key := _KEY.match(line):
            found.setdefault(key[1], number)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(values: Any) -> bool:
    return all(isinstance(one, str) for one in values)
