"""What the model of the lease protocol consists of: one job, two workers, a rescuer, a canceller.

Tokens are not numbered: an outdated one never counts again, so it is enough to know who has the one that
counts and how many others each worker still believes in. All are tuples, because a search hashes a lot.
"""

from enum import StrEnum
from typing import NamedTuple

MAX_FAILURES = 2
MAX_LOSSES = 2
WORKERS = (0, 1)


class Luck(NamedTuple):
    """What may still go wrong; a setback is a failure, a timeout, a release or a snooze."""

    lost_answers: int = 1
    ended_leases: int = 2
    crashes: int = 1
    setbacks: int = 1


class Job(NamedTuple):
    """What the database holds of the job."""

    state: str = "ready"
    holder: int | None = None
    has_token: bool = False
    failures: int = 0
    losses: int = 0
    cancel_asked: bool = False
    effects: int = 0
    ends: tuple[str, ...] = ()


class Worker(NamedTuple):
    """`lease`, `rescued`, `lost` are what the database holds of it, the others what it is and believes.

    `knows`: it has the token that counts; `outdated`: how many it believes in that count no more.
    """

    alive: bool = True
    lease: bool = True
    rescued: bool = False
    lost: int = 0
    knows: bool = False
    outdated: int = 0


class World(NamedTuple):
    luck: Luck
    job: Job = Job()
    workers: tuple[Worker, Worker] = (Worker(), Worker())
    suspect: int | None = None  # whom the rescuer has found, without a lock


class Verb(StrEnum):
    CLAIM = "claims"
    COMPLETE = "completes"
    COMPLETE_IN_TRANSACTION = "completes in its transaction"
    FAIL = "fails"
    RELEASE = "releases"
    SNOOZE = "snoozes"
    OBEY = "obeys the cancel"
    WRITE = "saves a checkpoint"
    RENEW = "renews"
    RELEASE_UNKNOWN = "releases what it holds unknowingly"
    DIE = "is killed"
    LEASE_END = "has its lease ended by the clock"
    LOOK = "is found by the rescuer"
    RESCUE = "is rescued"
    PASS_OVER = "is fenced, but its job is locked"
    CANCEL = "the canceller cancels"
    FENCE_CANCELLED = "the grace after a cancel is over"
    TIME_OUT = "the attempt is stopped by its timeout"
    DUE = "the job is due"


ENDS = (Verb.COMPLETE, Verb.COMPLETE_IN_TRANSACTION, Verb.FAIL, Verb.RELEASE, Verb.SNOOZE, Verb.OBEY)


class Step(NamedTuple):
    """One atomic step; `who` is the worker that does it or to whom it is done."""

    verb: Verb
    who: int | None
    after: World
    accepted: bool = True
    heard: bool = True
    outdated: bool = False

    @property
    def worker(self) -> int:
        assert self.who is not None
        return self.who

    def __str__(self) -> str:
        who = "" if self.who is None else f"worker {self.who} "
        token = " with an outdated token" if self.outdated else ""
        answer = "" if self.accepted else ", in vain"
        return f"{who}{self.verb}{token}{answer}{'' if self.heard else ', and hears nothing'}"


class Mistake(StrEnum):
    """What could be wrong in the protocol, each to be planted and found."""

    NOBODY_RESCUES = "nobody rescues"
    DEAD_KEEP_THEIR_LEASE = "the lease of a dead worker never ends"
    ORPHANS_ARE_KEPT = "a worker keeps what it holds unknowingly"
    OUTDATED_END = "a completion with an outdated token counts"
    OUTDATED_WRITE = "a write with an outdated token is taken"
    OUTDATED_EFFECT = "a refused completion leaves its transactional effect"
    TOKEN_OUTLIVES_END = "a token counts after the end of its job"
    RESCUE_OF_THE_RENEWED = "a rescuer does not look at the lease again"
    RESCUE_OF_THE_ENDED = "a rescuer does not look at the job again"
    CANCEL_OF_THE_ENDED = "a cancel does not look whether the job has ended"
    CANCEL_FORGOTTEN = "a job that was asked to cancel is put back"
    LOSSES_UNCOUNTED = "a loss is not counted"
    LOSSES_UNLIMITED = "a job may be lost for ever"
    FAILURES_UNLIMITED = "a job may fail for ever"
    FORGIVEN_TWICE = "a loss is forgiven at every renewal"
