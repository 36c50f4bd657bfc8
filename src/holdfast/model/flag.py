"""Flags: switches that people change while workers run, and what follows from them for one worker."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

SLOTS = 50
AUTO: Literal["auto"] = "auto"
ClaimSize = int | Literal["auto"]


@dataclass(frozen=True, slots=True)
class Flag:
    """What holds for all, or for one queue or worker group. `is_set` is false for a default.

    `set_for` is what else it can be set for, queue or worker group; `allowed` says to which values. The
    detail of a queue is a setting of the queue: the audit trail knows who set it.
    """

    name: str
    queue: str | None
    group: str | None
    value: str
    is_set: bool
    set_at: datetime | None
    actor: str | None
    reason: str | None
    set_for: str
    allowed: str
    default: str


class Source(StrEnum):
    """Where a worker's slots or claim size come from; the first that is given wins."""

    OPTION = "option"  # of the worker itself
    GROUP = "group"  # the flag of its group
    FLAG = "flag"  # the flag for all
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class WorkerSizes:
    """How many jobs a worker runs at once and takes in one claim (None: as many as it can finish)."""

    slots: int
    slots_from: Source
    claim_size: int | None
    claim_size_from: Source


# As worker_flags returns them: {"slots": {"value": "20", "group": None}}
WorkerFlags = Mapping[str, Mapping[str, str | None]]


def sizes_of(slots: int | None, claim_size: ClaimSize | None, flags: WorkerFlags) -> WorkerSizes:
    """What holds for a worker with these options."""
    many, many_from = _holding(slots, flags.get("slots"))
    size, size_from = _holding(claim_size, flags.get("claim_size"))
    return WorkerSizes(
        SLOTS if many is None else int(many),
        many_from,
        None if size is None or size == AUTO else int(size),
        size_from,
    )


def _holding(
    option: int | str | None, flag: Mapping[str, str | None] | None
) -> tuple[int | str | None, Source]:
    if option is not None:
        return option, Source.OPTION
    if flag is None:
        return None, Source.DEFAULT
    return flag["value"], Source.FLAG if flag["group"] is None else Source.GROUP
