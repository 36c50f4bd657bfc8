"""Rules of the state machine: what workers do, with good tokens and with stale ones."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.machine.base import Base, choose, picks, workers
from tests.machine.ends import ENDS, Complete, End, Fail, apply, detail_of
from tests.machine.parts import Job, Worker

REPORT = "report_progress(array[$1::uuid], array[$2::uuid], array[$3::jsonb])"


Claim = tuple[UUID, UUID]
Rows = Sequence[Mapping[str, Any] | asyncpg.Record]


class Working(Base):
    """How a call is sent is a method of its own: `http.py` has another way."""

    @rule(deed=st.sampled_from(["register", "renew", "renew", "stop"]), n=workers)
    def come_or_go(self, deed: str, n: int) -> None:
        if deed == "register":
            self.register(n)
        elif deed == "renew":
            self.renew(n)
        else:
            self.stop(n)

    def renew(self, n: int) -> None:
        worker = self.worker(n)
        assert self.send_renewal(worker) == self.model.renew(worker)

    def send_renewal(self, worker: Worker) -> tuple[bool, bool]:
        (row,) = self.session.verb("renew_lease($1)", worker.id)
        return row["known"], row["rescued"]

    def stop(self, n: int) -> None:
        worker = self.worker(n)
        assert self.send_stop(worker) == self.model.stop(worker)

    def send_stop(self, worker: Worker) -> int:
        return int(self.session.verb("stop_worker($1)", worker.id)[0][0])

    @rule(n=workers)
    def claim_all(self, n: int) -> None:
        self.claim(n, 20, comes_back=True)

    @rule(n=workers, wanted=st.integers(1, 4), comes_back=st.sampled_from([True, True, True, False]))
    def claim(self, n: int, wanted: int, comes_back: bool) -> None:
        if comes_back and self.worker(n).stopped:
            self.register(n)
        elif comes_back:
            self.renew(n)
        worker = self.worker(n)
        if self.model.has_lease(worker):
            self.model.claim(worker, wanted, self.send_claim(worker, wanted))
        else:
            self.send_claim_without_lease(worker, wanted)

    def send_claim(self, worker: Worker, wanted: int) -> list[Claim]:
        rows = self.session.verb("claim_jobs($1, $2)", worker.id, wanted)
        return [(row["job_id"], row["token"]) for row in rows]

    def send_claim_without_lease(self, worker: Worker, wanted: int) -> None:
        with pytest.raises(asyncpg.PostgresError) as caught:
            self.send_claim(worker, wanted)
        assert caught.value.sqlstate == "HF006"

    @precondition(lambda self: self.running())
    @rule(pick=picks, end=ENDS, done=st.none() | st.integers(0, 9))
    def settle(self, pick: int, end: End, done: int | None) -> None:
        job = choose(self.running(), pick)
        self.turn([job], [end], wanted=0, done=done)

    @precondition(lambda self: self.running())
    @rule(first=picks, ends=st.lists(ENDS, min_size=2, max_size=3), wanted=st.integers(1, 3))
    def settle_and_claim(self, first: int, ends: list[End], wanted: int) -> None:
        running = self.running()
        jobs = [running[(first + i) % len(running)] for i in range(min(len(ends), len(running)))]
        self.turn(jobs, ends[: len(jobs)], wanted)

    @precondition(lambda self: self.running())
    @rule(end=st.sampled_from([Complete(), Complete(), Fail("transient", None)]))
    def settle_all(self, end: Complete | Fail) -> None:
        running = self.running()
        self.turn(running, [end for _ in running], wanted=0)

    def turn(self, jobs: list[Job], ends: list[End], wanted: int, done: int | None = None) -> None:
        """`done`: what the last reports say, which go with the ends."""
        worker = self.model.workers[jobs[0].worker or UUID(int=0)]
        claims = [(job.id, job.token or UUID(int=0)) for job in jobs]
        rows = self.settle_with(claims, ends, worker, wanted, done)
        assert not [row for row in rows if row["kind"] == "lost"]
        if done is not None:
            self.model.progress.update({job.id: done for job in jobs})
        for job, end in zip(jobs, ends, strict=True):
            apply(self.model, job, end, self.waited(job))
        if wanted and not self.model.has_lease(worker):
            assert [row["kind"] for row in rows] == ["lapsed"]
        elif wanted:
            claimed = [(row["job_id"], row["token"]) for row in rows if row["kind"] == "job"]
            self.model.claim(worker, wanted, claimed)
            assert ("next" in [row["kind"] for row in rows]) == (len(claimed) < wanted)

    def settle_with(
        self,
        claims: list[Claim],
        ends: list[End],
        worker: Worker,
        wanted: int,
        done: int | None = None,
    ) -> Rows:
        return self.session.verb(
            "settle_and_claim($1, $2, $3, $4, $5, $6::json[], $7::jsonb[])",
            *(worker.id, wanted, [id_ for id_, _ in claims], [token for _, token in claims]),
            *([end.verb for end in ends], ["1"] * len(ends), [detail_of(end, done) for end in ends]),
        )

    def waited(self, job: Job) -> timedelta | None:
        """The delay before its next try; none if it ended. Ready means that there was no delay."""
        due = self.session.fetch("select due_at, state, rank_at from holdfast.jobs where id = $1", job.id)
        if not due:
            return None
        return due[0]["due_at"] - self.model.now if due[0]["due_at"] else timedelta(0)

    @precondition(lambda self: self.stale())
    @rule(pick=picks, end=ENDS, n=workers)
    def settle_with_a_stale_token(self, pick: int, end: End, n: int) -> None:
        id_, token = choose(self.stale(), pick)
        (row,) = self.settle_with([(id_, token)], [end], self.worker(n), 0, done=99)
        assert (row["kind"], row["job_id"], row["token"]) == ("lost", id_, token)
        assert not self.send_checkpoint(id_, token, "late")
        assert not self.send_report(id_, token, 99)

    @precondition(lambda self: self.running())
    @rule(pick=picks, name=st.sampled_from(["half", "most"]), done=st.integers(0, 9))
    def save_and_report(self, pick: int, name: str, done: int) -> None:
        job = choose(self.running(), pick)
        assert self.send_checkpoint(job.id, job.token, name)
        assert self.send_report(job.id, job.token, done)
        self.model.checkpoints[job.id, name] = job.attempt
        self.model.progress[job.id] = done

    def send_checkpoint(self, job: UUID, token: UUID | None, name: str) -> bool:
        return bool(self.session.verb("save_checkpoint($1, $2, $3, '1')", job, token, name)[0][0])

    def send_report(self, job: UUID, token: UUID | None, done: int) -> bool:
        rows = self.session.verb(REPORT, job, token, f'{{"done": {done}}}')
        assert {row["result"] for row in rows} <= {"lost"}
        return not rows
