"""What the database has accepted, what it has refused, and what nobody can tell: the producers' own book."""

import hashlib
from dataclasses import dataclass, field
from enum import Enum, auto

import asyncpg

from holdfast.model.error import HoldfastError, InvalidInput
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText


class Answer(Enum):
    """What an error says about the work that was sent."""

    REFUSED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Accepted:
    job: JobId
    payload_hash: str


@dataclass(slots=True)
class Ledger:
    """By `ref`, a word of the payload that no other job has.

    `indeterminate`: the answer got lost, so the job may be there or not. `withdrawn`: taken back before the
    commit. `disturbed`: sendings that failed. `wrong`: answers that should not have been given, in words.
    """

    accepted: dict[str, Accepted] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    indeterminate: set[str] = field(default_factory=set)
    disturbed: int = 0
    withdrawn: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def offer(self, refs: list[str]) -> None:
        """Before it is sent."""
        self.withdrawn.difference_update(refs)
        self.indeterminate.update(refs)

    def accept(self, ref: str, job: JobId, payload: JsonText) -> None:
        self.indeterminate.discard(ref)
        self.accepted[ref] = Accepted(job, hash_of(payload))

    def fail(self, refs: list[str], answer: Answer) -> None:
        self.disturbed += 1
        if answer is Answer.REFUSED:
            self.refuse(refs)

    def refuse(self, refs: list[str]) -> None:
        self.indeterminate.difference_update(refs)
        self.refused.update(refs)

    def withdraw(self, ref: str) -> None:
        """No commit was sent, so that it must not be there, whatever else happens."""
        self.indeterminate.discard(ref)
        self.withdrawn.add(ref)


def hash_of(payload: JsonText) -> str:
    """As PostgreSQL's md5() of the same text."""
    return hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()


def read_answer(exc: HoldfastError) -> Answer:
    """A server that answers with an error has undone the statement; one that goes down may have done it."""
    said = exc.__cause__
    if isinstance(exc, InvalidInput):
        return Answer.REFUSED
    if isinstance(said, asyncpg.PostgresError) and not (said.sqlstate or "").startswith(("08", "57")):
        return Answer.REFUSED
    return Answer.UNKNOWN
