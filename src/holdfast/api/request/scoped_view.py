"""What a key with a scope sees of the jobs in it: nothing about workers, hosts, endpoints and people.

These belong to the whole installation, and their names tell about jobs of other queues.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from holdfast.model.access_key import Caller
from holdfast.model.dead_letter import DeadLetter, LetterSheet
from holdfast.model.job import Job
from holdfast.model.queue import QueueDetails
from holdfast.model.timeline import Blocker, TimelineEntry

T = TypeVar("T", Job, Blocker, TimelineEntry, LetterSheet, DeadLetter, QueueDetails)

HIDDEN = "To see the cause, use an access key for all queues and tasks."
# Causes whose words are about the job and its own queue.
OWN_CAUSES = frozenset(
    {
        "ended", "deadline_passed", "scheduled", "paused", "no_worker", "no_worker_in_group", "behind",
        "signal", "children", "unknown_task",
    }
)  # fmt: skip
OWN_DETAIL = frozenset(
    {
        "from", "to", "class", "place", "stage", "visit", "generation", "started_at", "retry_at",
        "fingerprint", "units", "cost", "output", "seq", "seconds", "argument_bytes",
    }
)  # fmt: skip
FOREIGN_ENTRIES = frozenset({"rules", "move"})  # they name other queues


def all_seen_by(caller: Caller, found: Sequence[T]) -> list[T]:
    return [seen_by(caller, one) for one in found]


def seen_by(caller: Caller, found: T) -> T:
    """As it is for a key for all queues and tasks."""
    return found if caller.scope is None else _limited(caller, found)


def _limited(
    caller: Caller, found: Job | Blocker | TimelineEntry | LetterSheet | DeadLetter | QueueDetails
) -> Any:
    match found:
        case Job():
            actor = found.claimed_actor if found.claimed_actor == caller.name else None
            return replace(found, worker=None, login=None, role=None, claimed_actor=actor)
        case Blocker():
            is_own = found.blocker in OWN_CAUSES
            return found if is_own else replace(found, detail=HIDDEN, until=None)
        case DeadLetter():
            return replace(found, replayed_by=found.replayed_by if found.replayed_by == caller.name else None)
        case LetterSheet():
            attempts = [replace(one, worker=None, host=None) for one in found.attempts]
            return replace(found, letter=_limited(caller, found.letter), attempts=attempts)
        case QueueDetails():
            return replace(found, endpoint=None)
        case TimelineEntry():
            return replace(
                found,
                actor=found.actor if found.actor == caller.name else None,
                words=None if found.what in FOREIGN_ENTRIES else found.words,
                detail={name: value for name, value in found.detail.items() if name in OWN_DETAIL},
            )
