"""The producers' record of what the database has accepted, what it has refused, and what is unknown."""

import hashlib
from dataclasses import dataclass, field
from enum import Enum, auto

import asyncpg

from holdfast import HoldfastError, InvalidInput
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText


class EnqueueAnswer(Enum):
    """What an error says about the work that was sent."""

    REFUSED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Accepted:
    job: JobId
    payload_hash: str


@dataclass(slots=True)
class Ledger:
    """By `ref`, a value in the payload that no other job has.

    `indeterminate`: the answer was lost, so the job may exist or not. `withdrawn`: rolled back before the
    commit. `disturbed`: calls that failed. `wrong`: sentences about answers that are wrong.
    """

    accepted: dict[str, Accepted] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    indeterminate: set[str] = field(default_factory=set)
    disturbed: int = 0
    withdrawn: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def offer(self, refs: list[str]) -> None:
        """Call it before the jobs are sent."""
        self.withdrawn.difference_update(refs)
        self.indeterminate.update(refs)

    def accept(self, ref: str, job: JobId, payload: JsonText) -> None:
        self.indeterminate.discard(ref)
        self.accepted[ref] = Accepted(job, hash_of(payload))

    def fail(self, refs: list[str], answer: EnqueueAnswer) -> None:
        self.disturbed += 1
        if answer is EnqueueAnswer.REFUSED:
            self.refuse(refs)

    def refuse(self, refs: list[str]) -> None:
        self.indeterminate.difference_update(refs)
        self.refused.update(refs)

    def withdraw(self, ref: str) -> None:
        """No commit was sent, so the job must not exist, whatever else happens."""
        self.indeterminate.discard(ref)
        self.withdrawn.add(ref)


def hash_of(payload: JsonText) -> str:
    """As PostgreSQL's md5() of the same text."""
    return hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()


def read_answer(exc: HoldfastError) -> EnqueueAnswer:
    """A server that answers with an error has rolled back; one that shuts down may have committed."""
    cause = exc.__cause__
    if isinstance(exc, InvalidInput):
        return EnqueueAnswer.REFUSED
    if isinstance(cause, asyncpg.PostgresError) and not (cause.sqlstate or "").startswith(("08", "57")):
        return EnqueueAnswer.REFUSED
    return EnqueueAnswer.UNKNOWN
