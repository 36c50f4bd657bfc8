"""Rules of the state machine: chores, and what operators do to jobs, queues and runs."""

import json
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.machine import control, sweep
from tests.machine.base import LEASE, Base, choose, picks
from tests.machine.parts import Options, Run


class Operating(Base):
    @rule()
    def promote(self) -> None:
        assert self.session.verb("promote_jobs()")[0][0] == self.model.promote()

    @rule()
    def rescue(self) -> None:
        """Until nothing is left: a sweep may leave to the next what it moved itself."""
        while any(self.session.verb("rescue_jobs()")[0].values()):
            pass
        sweep.rescue(self.model)

    @precondition(lambda self: self.running())
    @rule()
    def lose_all_workers(self) -> None:
        self.wait(LEASE + timedelta(seconds=1))
        self.rescue()

    @precondition(lambda self: len(self.ended()) > 2)
    @rule()
    def prune_a_month_later(self) -> None:
        self.wait(timedelta(days=31))
        assert self.session.verb("prune_jobs()")[0]["jobs"] == sweep.prune(self.model)

    @precondition(lambda self: self.model.jobs)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        job = choose(self.every(), pick)
        (row,) = self.session.verb("cancel_jobs(array[$1]::uuid[], 'no longer wanted', 'me')", job.id)
        assert row["result"] == control.cancel(self.model, job, "no longer wanted")

    @precondition(lambda self: self.ended())
    @rule(pick=picks)
    def replay(self, pick: int) -> None:
        job = choose(self.ended(), pick)
        (row,) = self.session.verb("replay_jobs(array[$1]::uuid[], 'once more', 'me')", job.id)
        assert row["result"] == control.replay(self.model, job)

    @rule(queue=st.sampled_from(["plain", "aged", "full"]))
    def pause(self, queue: str) -> None:
        self.session.verb("pause_queue($1, 'why not', 'me')", queue)
        self.model.paused.add(queue)

    @precondition(lambda self: self.model.paused)
    @rule()
    def resume(self) -> None:
        for queue in sorted(self.model.paused):
            self.session.verb("resume_queue($1, 'enough', 'me')", queue)
        self.model.paused.clear()

    @precondition(lambda self: len(self.model.runs) < 3)
    @rule(on_complete=st.booleans())
    def start_run(self, on_complete: bool) -> None:
        asked = {"on_complete": {"task": "done", "queue": "plain"}} if on_complete else {}
        self.tick()
        ((id_,),) = self.session.verb("start_run('run', $1::jsonb)", json.dumps(asked))
        self.model.runs[id_] = Run(id_, self.model.now, on_complete)

    @precondition(lambda self: self.model.runs)
    @rule(pick=picks)
    def seal_run(self, pick: int) -> None:
        run = choose([*self.model.runs.values()], pick)
        self.tick()
        ((has_ended,),) = self.session.verb("seal_run($1)", run.id)
        run.sealed = True
        assert has_ended == run.is_done
        if run.is_done:
            self.end_run(run)

    @rule()
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

    @precondition(lambda self: self.model.runs)
    @rule(pick=picks)
    def cancel_run(self, pick: int) -> None:
        run = choose([*self.model.runs.values()], pick)
        self.tick()
        ((count,),) = self.session.verb("cancel_run($1, 'enough', 'me')", run.id)
        assert count == control.cancel_run(self.model, run, "enough")
        if run.is_done:
            self.end_run(run)

    @precondition(lambda self: self.model.runs)
    @rule(pick=picks, which=st.sampled_from(["dead", "all"]))
    def replay_run(self, pick: int, which: str) -> None:
        run = choose([*self.model.runs.values()], pick)
        ((count,),) = self.session.verb("replay_run($1, $2, 'again', 'me')", run.id, which)
        assert count == control.replay_run(self.model, run, "dead" if which == "dead" else "all")
