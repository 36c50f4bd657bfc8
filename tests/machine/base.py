"""What all rules of the state machine stand on: the database, the model, and the comparison of the two."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar
from uuid import UUID, uuid5

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.machine.model import Model
from tests.machine.parts import Job, Run, Worker
from tests.machine.session import Session
from tests.machine.world import differences, expected_world

START = datetime(2031, 1, 6, tzinfo=UTC)
NAMES = UUID(int=7)
LEASE = timedelta(seconds=30)
WORKERS = {1: (("plain", "full"), ""), 2: (("aged", "plain"), "gpu"), 3: (("full", "aged", "plain"), "")}
STEPS = [timedelta(milliseconds=1)] + [timedelta(seconds=s) for s in (1, 11, 31, 31, 70, 400, 4000, 90_000)]

HOURLY = json.dumps(
    {"task": "tick", "every": 3600, "payload": 0, "overlap": "skip", "options": {"queue": "plain"}}
)

picks = st.integers(0, 50)
workers = st.sampled_from(sorted(WORKERS))
T = TypeVar("T")


def choose(things: Sequence[T], pick: int) -> T:
    return things[pick % len(things)]


class Base(RuleBasedStateMachine):
    session: ClassVar[Session]

    def __init__(self) -> None:
        super().__init__()
        self.model = Model(START)
        self.session.start_over(START)
        for n in WORKERS:
            self.register(n)
        self.session.verb("set_schedule('hourly', $1::jsonb)", HOURLY)

    @rule(step=st.sampled_from(STEPS))
    def wait(self, step: timedelta) -> None:
        self.model.now += step
        self.session.set_clock(self.model.now)

    def register(self, n: int) -> None:
        queues, group = WORKERS[n]
        worker = Worker(uuid5(NAMES, str(n)), queues, group, LEASE, self.model.now + LEASE)
        info = {"group": group, "slots": 5, "lease": LEASE.total_seconds(), **self.more_info()}
        self.session.verb("register_worker($1, $2, $3::jsonb)", worker.id, list(queues), json.dumps(info))
        self.model.register(worker)

    def more_info(self) -> dict[str, str]:
        """What a worker that comes in another way has, too."""
        return {}

    def start_run(self, on_complete: bool) -> None:
        asked = {"on_complete": {"task": "done", "queue": "plain"}} if on_complete else {}
        self.tick()
        id_ = self.send_run(asked)
        self.model.runs[id_] = Run(id_, self.model.now, on_complete)

    def send_run(self, asked: Mapping[str, Any]) -> UUID:
        ((id_,),) = self.session.verb("start_run('run', $1::jsonb)", json.dumps(asked))
        return UUID(str(id_))

    @invariant()
    def the_database_is_as_the_model_says(self) -> None:
        wrong = differences(self.session.world(), expected_world(self.model))
        assert not wrong, "\n".join(wrong)

    @invariant()
    def no_invariant_is_violated(self) -> None:
        found = self.session.violations()
        assert not found, found

    def tick(self) -> None:
        """A millisecond, so that ids rise with time."""
        self.wait(timedelta(milliseconds=1))

    def worker(self, n: int) -> Worker:
        return self.model.workers[uuid5(NAMES, str(n))]

    def every(self) -> list[Job]:
        return [*self.model.jobs.values()]

    def running(self) -> list[Job]:
        return [job for job in self.every() if job.state == "running"]

    def ended(self) -> list[Job]:
        return [job for job in self.every() if not job.is_live]

    def stale(self) -> list[tuple[UUID, UUID]]:
        return [(job.id, token) for job in self.every() for token in job.tokens if token != job.token]

    def pick_run(self, pick: int) -> Run | None:
        return choose([*self.model.runs.values()], pick) if self.model.runs else None
