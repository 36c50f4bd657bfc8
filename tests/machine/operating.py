"""Rules of the state machine: maintenance tasks, and what operators do to jobs, queues and runs."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.machine import control, sweep
from tests.machine.base import LEASE, Base, choose, picks
from tests.machine.parts import Ends, Job, Options, Run

HOUR = timedelta(hours=1)
REASON = "no longer wanted"


class Operating(Base):
    """One rule for each kind of thing, not for each verb: rules are drawn alike, and most shall be work.

    How a call is sent is a method of its own: `http_operating.py` has another way.
    """

    @rule(deed=st.sampled_from(["rescue", "lose", "lose", "promote", "prune", "prune"]))
    def sweep_by(self, deed: str) -> None:
        if deed == "rescue":
            self.rescue()
        elif deed == "lose":
            self.wait(LEASE + timedelta(seconds=1))
            self.rescue()
        elif deed == "promote":
            self.promote()
        elif len(self.ended()) > 2:
            self.prune_a_month_later()

    @rule(deed=st.sampled_from(["cancel", "replay"]), pick=picks)
    def change_a_job(self, deed: str, pick: int) -> None:
        if deed == "cancel" and self.model.jobs:
            self.cancel(choose(self.every(), pick))
        elif deed == "replay" and self.ended():
            self.replay(choose(self.ended(), pick))

    @rule(queue=st.sampled_from(["plain", "aged", "full"]))
    def pause_or_resume(self, queue: str) -> None:
        """All are resumed before another is paused: else nothing would be claimed."""
        if self.model.paused:
            self.resume()
        else:
            self.pause(queue)

    @rule(queues=st.permutations(["plain", "aged", "full"]), n=st.integers(1, 4))
    def move(self, queues: list[str], n: int) -> None:
        source, to, _ = queues
        assert self.send_move(source, to, n) == control.move(self.model, source, to, n)

    def send_move(self, source: str, to: str, n: int) -> tuple[int, int]:
        (row,) = self.session.verb("move_jobs($1, $2, $3, 'too deep', 'me')", source, to, n)
        return row["ready"], row["scheduled"]

    @rule(deed=st.sampled_from(["round", "round", "round", "pause", "resume"]))
    def change_the_schedule(self, deed: str) -> None:
        if deed == "round":
            self.fire_schedules()
        elif deed == "pause":
            self.send_to_schedule("pause")
            self.model.schedule.paused = True
        else:
            self.send_to_schedule("resume")
            self.model.schedule.resume(self.model.now)

    def send_to_schedule(self, word: str) -> None:
        self.session.verb(f"{word}_schedule('hourly', 'why not', 'me')")

    @rule()
    def change_the_rules(self) -> None:
        self.model.has_rule = not self.model.has_rule
        effect = {"points": 30, "queue": "full", "enabled": self.model.has_rule}
        self.send_rule({"condition": "$.payload == 1", **effect})

    def send_rule(self, policy: Mapping[str, Any]) -> None:
        self.session.verb("set_rule('task', 'bill', 'urgent', $1::jsonb)", json.dumps(policy))

    @rule(deed=st.sampled_from(["start", "seal", "close", "close", "cancel", "dead", "all"]), pick=picks)
    def change_a_run(self, deed: str, pick: int) -> None:
        run = self.pick_run(pick)
        if run is None or (deed == "start" and len(self.model.runs) < 3):
            self.start_run(on_complete=bool(pick % 3))
        elif deed == "seal":
            self.seal_run(run)
        elif deed == "close":
            self.close_runs()
        elif deed == "cancel":
            self.cancel_run(run)
        elif deed in ("dead", "all"):
            self.replay_run(run, "dead" if deed == "dead" else "all")

    def fire_schedules(self) -> None:
        """As a worker's round does, twice: the second finds that the slot is taken."""
        self.tick()
        schedule = self.model.schedule
        is_due = schedule.is_due(self.model.now)
        assert bool(self.session.verb("due_schedules()")) == is_due
        if not is_due:
            return
        if schedule.next_slot is None:
            first = schedule.counts_from + HOUR
            check = "check_schedule('hourly', $1, $2)"
            tries = [self.session.verb(check, schedule.counts_from, first)[0][0] for _ in range(2)]
            assert tries == [True, False]
            schedule.next_slot = first
            return
        slot = schedule.next_slot
        newest = slot + (self.model.now - slot) // HOUR * HOUR
        fire = "fire_schedule('hourly', $1, $2, $3)"
        ((result, id_, _),) = self.session.verb(fire, slot, newest + HOUR, newest)
        assert not self.session.verb(fire, slot, newest + HOUR, newest)
        last = self.model.jobs.get(schedule.last_job) if schedule.last_job else None
        assert result == ("overlap" if last is not None and last.is_live else "fired")
        schedule.next_slot = newest + HOUR
        if result == "fired":
            schedule.last_job = id_
            key = f"hourly {newest:%Y-%m-%dT%H:%M:%SZ}"
            wish = Options(unique_key=key, unique_for="30 days", unique_scope="holdfast.schedule")
            self.model.enqueue(id_, "tick", wish)

    def promote(self) -> None:
        assert self.session.verb("promote_jobs()")[0][0] == self.model.promote()

    def rescue(self) -> None:
        """Until nothing is left: a sweep may leave to the next what it moved itself."""
        while any(self.session.verb("rescue_jobs()")[0].values()):
            pass
        sweep.rescue(self.model)

    def prune_a_month_later(self) -> None:
        self.wait(timedelta(days=31))
        assert self.session.verb("prune_jobs()")[0]["jobs"] == sweep.prune(self.model)

    def cancel(self, job: Job) -> None:
        assert self.send_to_job("cancel", job) == control.cancel(self.model, job, REASON)

    def replay(self, job: Job) -> None:
        assert self.send_to_job("replay", job) == control.replay(self.model, job)

    def send_to_job(self, word: str, job: Job) -> str:
        (row,) = self.session.verb(f"{word}_jobs(array[$1]::uuid[], $2, 'me')", job.id, REASON)
        return str(row["result"])

    def pause(self, queue: str) -> None:
        self.send_to_queue("pause", queue)
        self.model.paused.add(queue)

    def resume(self) -> None:
        for queue in sorted(self.model.paused):
            self.send_to_queue("resume", queue)
        self.model.paused.clear()

    def send_to_queue(self, word: str, queue: str) -> None:
        self.session.verb(f"{word}_queue($1, 'why not', 'me')", queue)

    def seal_run(self, run: Run) -> None:
        self.tick()
        has_ended = self.send_seal(run)
        run.sealed = True
        assert has_ended == run.is_done
        if run.is_done:
            self.end_run(run)

    def send_seal(self, run: Run) -> bool:
        return bool(self.session.verb("seal_run($1)", run.id)[0][0])

    def close_runs(self) -> None:
        self.tick()
        ((ended,),) = self.session.verb("close_runs()")
        done = [run for run in self.model.runs.values() if run.is_done]
        assert ended == len(done)
        for run in done:
            self.end_run(run)

    def end_run(self, run: Run) -> None:
        run.ended_at = self.model.now
        if run.on_complete:
            key = f"{run.id}:{run.generation}"
            scope = "holdfast.on_complete"
            id_ = self.session.value(
                "select job_id from holdfast.unique_keys where scope = $1 and key = $2", scope, key
            )
            wish = Options(unique_key=key, unique_for="forever", unique_scope=scope)
            self.model.enqueue(id_, "done", wish)

    def cancel_run(self, run: Run) -> None:
        self.tick()
        count = self.send_cancel_of(run)
        assert count == control.cancel_run(self.model, run, REASON)
        if run.is_done:
            self.end_run(run)

    def replay_run(self, run: Run, which: Ends) -> None:
        count = self.send_replay_of(run, which)
        assert count == control.replay_run(self.model, run, which)

    def send_cancel_of(self, run: Run) -> int:
        return int(self.session.verb("cancel_run($1, $2, 'me')", run.id, REASON)[0][0])

    def send_replay_of(self, run: Run, which: Ends) -> int:
        return int(self.session.verb("replay_run($1, $2, 'again', 'me')", run.id, which)[0][0])
