"""The job that a row of another queue's table becomes."""

import json
import math
from collections.abc import Mapping
from typing import Any

from holdfast.client.new_job import NewJob
from holdfast.db.legacy_table import WITH_ZONE, WITHOUT_ZONE, LegacyRow, LegacyTable
from holdfast.model.error import InvalidInput, InvalidPayload
from holdfast.model.import_mapping import NUMBERS, ImportMapping, Value
from holdfast.model.payload import JsonText, encode, read

ORIGIN = "import"


def check_columns(mapping: ImportMapping, table: LegacyTable) -> None:
    """Refuses a mapping that names a column which the table has not, or a time whose zone is unclear."""
    unknown = {name: key for name, key in mapping.columns.items() if name not in table.columns}
    if unknown:
        raise mapping.error(
            next(iter(unknown.values())),
            f"the table {table.name} has no column {', '.join(sorted(unknown))}.",
            f"its columns are {', '.join(table.columns)}",
        )
    due = mapping.options.get("run_at")
    if due is None or due.column is None:
        return
    kind = table.columns[due.column]
    if kind not in (WITH_ZONE, WITHOUT_ZONE) or due.values is not None:
        raise mapping.error(
            "run_at", f"the column {due.column} is {kind}, not a time.", "name a column of times"
        )
    if (kind == WITHOUT_ZONE) != (due.zone is not None):
        verb, hint = ("has no", 'add zone = "UTC"') if kind == WITHOUT_ZONE else ("has a", "remove zone")
        raise mapping.error("run_at", f"the column {due.column} {verb} time zone.", hint)


class JobMaker:
    """Of one import."""

    def __init__(self, mapping: ImportMapping, scope: str, actor: str) -> None:
        """`scope`: of the unique keys, if the mapping names none."""
        self._mapping = mapping
        self._shared = {
            "unique_scope": mapping.scope or scope,
            "unique_for": mapping.unique_for,
            "origin": ORIGIN,
            "actor": actor,
        }

    def job(self, row: LegacyRow) -> NewJob:
        """Raises InvalidInput if the row cannot become a job."""
        if row.id is None:
            raise InvalidInput(f"The column {self._mapping.id} is null.")
        found = {name: _decoded(text) for name, text in row.values.items()}
        options = {name: _option(name, value, found) for name, value in self._mapping.options.items()}
        task = options.pop("task")
        if task is None:
            raise InvalidInput(f"The column {self._mapping.options['task'].column} is null.")
        labels = {name: _looked_up("labels", one, found) for name, one in self._mapping.labels.items()}
        options |= {"labels": _given(labels) or None, "unique_key": row.id} | self._shared
        return NewJob(str(task), self._payload(row, found), _given(options))

    def _payload(self, row: LegacyRow, found: Mapping[str, Any]) -> JsonText:
        columns = self._mapping.payload
        if not isinstance(columns, str):
            return encode({name: found[column] for name, column in columns.items()})
        if row.payload is None:
            raise InvalidPayload(f"The column {columns} is null.")
        try:
            return encode(read(row.payload))
        except json.JSONDecodeError as exc:
            raise InvalidPayload(f"The column {columns} is not JSON: {exc.msg}.") from None


def _decoded(text: str | None) -> Any:
    return None if text is None else read(text)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that are null in the table: the job has the default."""
    return {name: value for name, value in values.items() if value is not None}


def _option(name: str, value: Value, found: Mapping[str, Any]) -> Any:
    """As the SQL verb takes it."""
    got = _looked_up(name, value, found)
    if got is None or name in NUMBERS:
        return got if got is None else _number(name, value, got)
    return str(got)


def _looked_up(name: str, value: Value, found: Mapping[str, Any]) -> Any:
    if value.column is None:
        return value.constant
    got = found[value.column]
    if got is None or value.values is None:
        return got
    key = got if isinstance(got, str) else json.dumps(got)
    if key not in value.values:
        raise InvalidInput(f"The mapping of {name} has no value for {value.column} = {key}.")
    return value.values[key]


def _number(name: str, value: Value, got: Any) -> int:
    """A number of the table, or the place that it has between `lowest` and `highest`, of 100."""
    try:
        number = float(got)
    except (TypeError, ValueError):
        raise InvalidInput(f"The column {value.column} must be a number (got {got!r}).") from None
    if value.lowest is not None and value.highest is not None:
        share = (number - value.lowest) / (value.highest - value.lowest)
        if not 0 <= share <= 1:
            raise InvalidInput(
                f"The column {value.column} must be between {value.lowest:g} and {value.highest:g}"
                f" (got {number:g})."
            )
        return math.floor(100 * share + 0.5)
    if not number.is_integer():
        raise InvalidInput(f"{name} must be an integer (got {got!r}).")
    return int(number)
