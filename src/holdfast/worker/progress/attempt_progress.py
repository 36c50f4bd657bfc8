"""What the handler of one attempt has reported so far, as one report."""

import json
from dataclasses import replace
from typing import Any

from holdfast.model.payload import JsonText
from holdfast.model.progress_report import ProgressReport

MOST_ERRORS = 5  # which is what the database keeps

_encode = json.JSONEncoder(ensure_ascii=False).encode


class AttemptProgress:
    """Each report replaces the one before, except for what it leaves out. It may be stored twice."""

    __slots__ = ("_errors", "_report", "reports", "stored")

    def __init__(self) -> None:
        self._report = ProgressReport(0)
        self._errors: list[dict[str, str | None]] = []
        self.reports = 0  # so far
        self.stored = 0  # how many of them the database has answered

    @property
    def has_news(self) -> bool:
        return self.stored < self.reports

    def add(self, report: ProgressReport) -> None:
        before = self._report
        self._report = replace(
            report,
            total=_later(before.total, report.total),
            failed=_later(before.failed, report.failed),
            note=_later(before.note, report.note),
            item=_later(before.item, report.item),
            error=None,
        )
        if report.error is not None:
            self._errors = [*self._errors, {"item": self._report.item, "error": report.error}][-MOST_ERRORS:]
        self.reports += 1

    def json(self) -> JsonText:
        """In the form of the SQL verb."""
        report = self._report
        fields: dict[str, Any] = {
            "done": report.done,
            "total": None if report.total is None else max(report.total, report.done),
            "failed": report.failed,
            "note": report.note,
            "item": report.item,
            "errors": self._errors or None,
        }
        return JsonText(_encode({name: value for name, value in fields.items() if value is not None}))


def _later(before: Any, now: Any) -> Any:
    return before if now is None else now
