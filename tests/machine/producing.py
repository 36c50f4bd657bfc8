"""Rules of the state machine: enqueue in every way."""

import json
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import asyncpg
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.machine.base import Base, picks
from tests.machine.model import Conflict, Model
from tests.machine.parts import Options, Run

# What an enqueue may be refused for, as errors are called over HTTP.
CODES = {"HF003": "unique_conflict", "HF005": "wrong_state"}
Stored = list[tuple[UUID, bool]]  # each job, and whether it was created
queues = st.sampled_from(["plain", "plain", "full", "aged"])
tasks = st.sampled_from(["mail", "bill"])
options = st.builds(
    Options,
    queue=queues,
    payload=st.integers(0, 1),
    priority=st.sampled_from([50, 50, 0, 90]),
    group=st.sampled_from(["", "", "", "gpu"]),
    delay=st.sampled_from([timedelta(0)] * 3 + [timedelta(seconds=5), timedelta(hours=1)]),
    unique_key=st.sampled_from([None, None, "a", "b"]),
    unique_for=st.sampled_from(["live", "forever", "1 hour"]),
    order_key=st.sampled_from([None, None, "x", "y"]),
    deadline=st.sampled_from([None, None, None, timedelta(seconds=40), timedelta(hours=1)]),
    max_failures=st.sampled_from([None, None, 1, 2]),
)


class Producing(Base):
    """How a call is sent is a method of its own: `http_producing.py` has another way."""

    @initialize(
        task=tasks, wishes=st.lists(options, min_size=2, max_size=5), queue=queues, in_run=st.booleans()
    )
    def begin(self, task: str, wishes: list[Options], queue: str, in_run: bool) -> None:
        """With some jobs in one queue, so that there is something to do from the first step on."""
        self.start_run(on_complete=True)
        run = next(iter(self.model.runs)) if in_run else None
        self.enqueue_several(task, [replace(wish, queue=queue, unique_key=None, run=run) for wish in wishes])

    @rule(task=tasks, wish=options, in_run=st.booleans(), pick=picks)
    def enqueue(self, task: str, wish: Options, in_run: bool, pick: int) -> None:
        self.tick()
        run = self.pick_run(pick) if in_run else None
        wish = self.asked(replace(wish, run=run.id if run else None))
        refused, sent = self.refusal(task, wish, run), self.send(task, wish)
        if refused is not None or isinstance(sent, str):
            assert sent == refused
            return
        holder = self.model.holder_of(task, wish)
        ((id_, created),) = sent
        assert (created, id_) == (holder is None, holder or id_)
        if created:
            self.model.enqueue(id_, task, wish)

    @rule(task=tasks, wishes=st.lists(options, min_size=2, max_size=3))
    def enqueue_several(self, task: str, wishes: list[Options]) -> None:
        """In one call: all or none, and equal keys among them are one job."""
        self.tick()
        wishes = [self.asked(wish) for wish in wishes]
        trial = deepcopy(self.model)
        try:
            expected = [take(trial, uuid4(), task, wish, i) for i, wish in enumerate(wishes, 1)]
        except Conflict:
            assert self.send(task, *wishes) == "unique_conflict"
            return
        made = self.send(task, *wishes)
        assert not isinstance(made, str), made
        assert [created for _, created in made] == expected
        for i, (wish, (id_, _)) in enumerate(zip(wishes, made, strict=True), 1):
            take(self.model, id_, task, wish, i)

    def refusal(self, task: str, wish: Options, run: Run | None) -> str | None:
        try:
            is_made = self.model.holder_of(task, wish) is None
        except Conflict:
            return "unique_conflict"
        return "wrong_state" if run and run.sealed and is_made else None

    def asked(self, wish: Options) -> Options:
        """As this way in can say it."""
        return wish

    def send(self, task: str, *wishes: Options) -> Stored | str:
        """The code of the error if it is refused."""
        try:
            rows = self.session.verb(
                "enqueue_jobs(array[$1], $2::json[], '{}', $3::jsonb[])",
                task,
                [str(wish.payload) for wish in wishes],
                [json.dumps(self.wire(wish)) for wish in wishes],
            )
        except asyncpg.PostgresError as error:
            return CODES[str(error.sqlstate)]
        return [(row[0], row[1]) for row in rows]

    def wire(self, wish: Options) -> dict[str, object]:
        """The options as JSON, with queue and priority as defaults, which rules may replace."""
        deadline = wish.deadline_at(self.model.now)
        asked: dict[str, object | None] = {
            "default_queue": wish.queue,
            "default_priority": wish.priority,
            "group": wish.group or None,
            "delay": wish.delay.total_seconds() or None,
            "unique_key": wish.unique_key,
            "unique_for": wish.unique_for if wish.unique_key else None,
            "order_key": wish.order_key,
            "run": str(wish.run) if wish.run else None,
            "deadline": deadline.isoformat() if deadline else None,
            "max_failures": wish.max_failures,
        }
        return {name: value for name, value in asked.items() if value is not None}


def take(model: Model, id_: UUID, task: str, wish: Options, place: int) -> bool:
    """Whether that made a job."""
    if model.holder_of(task, wish) is not None:
        return False
    model.enqueue(id_, task, wish, place)
    return True
