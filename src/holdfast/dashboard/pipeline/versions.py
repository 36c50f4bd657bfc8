"""The versions of a pipeline, and what each changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from holdfast.model.pipeline import StageDetails
from holdfast.report.words import duration

# Settings that belong to a version; those of a queue or endpoint change without one.
SETTINGS = {
    "task": "task",
    "queue": "queue",
    "timeout": "timeout",
    "max_visits": "most visits",
    "on_reject": "on reject",
}


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    stages: Sequence[StageDetails]
    declared_at: datetime
    change: str


def versions_of(stages: Sequence[StageDetails]) -> list[Version]:
    """Of all stages of a pipeline, the newest version first."""
    found = [list(group) for _, group in groupby(stages, lambda one: one.version)]
    older: list[list[StageDetails] | None] = [*found[1:], None]
    return [
        Version(own[0].version, own, own[0].declared_at, "; ".join(_changes(before, own)))
        for own, before in zip(found, older, strict=False)
    ]


def _changes(before: Sequence[StageDetails] | None, after: Sequence[StageDetails]) -> Iterator[str]:
    if before is None:
        yield "the first"
        return
    old, new = {one.stage: one for one in before}, {one.stage: one for one in after}
    if added := [name for name in new if name not in old]:
        yield f"with {', '.join(added)}"
    if removed := [name for name in old if name not in new]:
        yield f"without {', '.join(removed)}"
    if [name for name in old if name in new] != [name for name in new if name in old]:
        yield "another order"
    for name in (one for one in new if one in old):
        for field, word in SETTINGS.items():
            was, now = getattr(old[name], field), getattr(new[name], field)
            if was != now:
                yield f"{word} of {name} {_said(was)} → {_said(now)}"


def _said(value: Any) -> str:
    return duration(value) if isinstance(value, timedelta) else "none" if value is None else str(value)
