"""What a key with a scope sees of the jobs in it: nothing about workers, hosts, endpoints and people.

These belong to the whole installation, and their names tell about jobs of other queues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from holdfast.model.access_key import Caller
from holdfast.model.dead_letter import DeadLetter, LetterSheet
from holdfast.model.error import AccessDenied
from holdfast.model.job import Job
from holdfast.model.queue import FullPause, QueueDetails, QueueSummary
from holdfast.model.timeline import Blocker, TimelineEntry

T = TypeVar("T", Job, Blocker, TimelineEntry, LetterSheet, DeadLetter, QueueDetails, QueueSummary, FullPause)

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
        "from", "to", "class", "place", "stage", "visit", "generation", "counted", "ready_at", "started_at",
        "retry_at", "until", "fingerprint", "units", "cost", "output", "seq", "seconds", "argument_bytes",
        "name", "finish_reason", "error",
    }
)  # fmt: skip
FOREIGN_ENTRIES = frozenset({"rules", "move"})  # they name other queues


def check_actor(caller: Caller, filters: Mapping[str, Any]) -> None:
    """A key with a scope may not find out who enqueued jobs."""
    if caller.scope is not None and filters.get("actor", caller.name) != caller.name:
        raise AccessDenied(
            f"The access key {caller.name} can filter by actor only with its own name as the actor.",
            "leave out the filter actor, or pass the name of the access key as its value",
        )


def all_seen_by(caller: Caller, found: Sequence[T]) -> list[T]:
    return [seen_by(caller, one) for one in found]


def seen_by(caller: Caller, found: T) -> T:
    """As it is for a key for all queues and tasks."""
    return found if caller.scope is None else _limited(caller, found)


def _limited(caller: Caller, found: Any) -> Any:
    is_queue = isinstance(found, QueueSummary | FullPause)
    return _queue_or_pause(caller, found) if is_queue else _job_or_part(caller, found)


def _queue_or_pause(caller: Caller, found: QueueSummary | FullPause) -> Any:
    if isinstance(found, FullPause):
        return replace(found, actor=_own(caller, found.actor))
    named = replace(found, paused_by=_own(caller, found.paused_by))
    return replace(named, endpoint=None) if isinstance(named, QueueDetails) else named


def _job_or_part(caller: Caller, found: Job | Blocker | TimelineEntry | LetterSheet | DeadLetter) -> Any:
    match found:
        case Job():
            return replace(
                found, worker=None, login=None, role=None, claimed_actor=_own(caller, found.claimed_actor)
            )
        case Blocker():
            is_own = found.blocker in OWN_CAUSES
            return found if is_own else replace(found, detail=HIDDEN, until=None)
        case DeadLetter():
            who, assignee = _own(caller, found.replayed_by), _own(caller, found.assignee)
            return replace(found, replayed_by=who, assignee=assignee)
        case LetterSheet():
            attempts = [replace(one, worker=None, host=None) for one in found.attempts]
            notes = [replace(one, author=_own(caller, one.author)) for one in found.notes]
            return replace(found, letter=_limited(caller, found.letter), attempts=attempts, notes=notes)
        case TimelineEntry():
            return replace(
                found,
                actor=_own(caller, found.actor),
                words=None if found.what in FOREIGN_ENTRIES else found.words,
                detail={name: value for name, value in found.detail.items() if name in OWN_DETAIL},
            )


def _own(caller: Caller, actor: str | None) -> str | None:
    return actor if actor == caller.name else None
