"""One run: worker processes that always have work claim, call and settle in virtual time."""

from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from random import Random

from bench.flow.clock import Clock
from bench.flow.controller import CallResult, Controller, Outcome, Start
from bench.flow.job import Job, new_job
from bench.flow.scenarios import Scenario
from bench.flow.upstream import Upstream

POLL = 0.5


@dataclass(slots=True)
class Record:
    """What happened."""

    calls: int = 0
    failed: int = 0  # 429 included, bad requests not
    dead: int = 0
    units: float = 0.0
    useful_slots: list[float] = field(default_factory=list)  # at every poll


class Simulation:
    """Each random choice has its own stream, so that controllers meet the same jobs in the same order.

    The streams differ between numbers of workers: with the same ones, runs with 1 and 3 workers are often one
    and the same run, and a mean over them is a mean over fewer.
    """

    def __init__(
        self, scenario: Scenario, controller: Controller, workers: int, seed: int, max_failures: int = 5
    ) -> None:
        self.record = Record()
        self._scenario = scenario
        self._controller = controller
        self._max_failures = max_failures
        self._clock = Clock()
        self._jobs = Random(f"jobs {seed} {workers}")
        self._delays = Random(f"delays {seed} {workers}")
        self._order = Random(f"order {seed} {workers}")
        self._upstream = Upstream(self._clock, Random(f"upstream {seed} {workers}"), scenario.conditions)
        self._ready: deque[Job] = deque()
        self._slots = max(4, 64 // workers)
        self._free = [self._slots] * workers

    def run(self) -> Record:
        for time, change in self._scenario.changes:
            self._clock.at(time, partial(self._upstream.change, **change))
        poison = (new_job(self._jobs) for _ in range(self._scenario.poison))
        self._ready.extend(replace(job, is_refused=False, is_poison=True) for job in poison)
        self._poll()
        self._clock.run(self._scenario.seconds)
        return self.record

    @property
    def running(self) -> int:
        """Calls that have started and not ended."""
        return self._slots * len(self._free) - sum(self._free)

    def _poll(self) -> None:
        for worker in self._order.sample(range(len(self._free)), len(self._free)):
            self._claim(worker)
        self.record.useful_slots.append(self._upstream.useful_slots)
        self._clock.after(POLL, self._poll)

    def _claim(self, worker: int) -> None:
        wanted = self._free[worker]
        while len(self._ready) < wanted:
            self._ready.append(new_job(self._jobs))
        for start in self._controller.admit(self._clock.now, tuple(islice(self._ready, wanted))):
            self._ready.remove(start.job)
            self._free[worker] -= 1
            self.record.calls += 1
            start.job.tries += 1
            self._upstream.submit(start.job, partial(self._settle, worker, start))

    def _settle(self, worker: int, start: Start, outcome: Outcome) -> None:
        self._free[worker] += 1
        verdict = self._controller.settle(self._clock.now, start, outcome)
        start.job.last_try = self._clock.now
        match outcome.answer:
            case CallResult.OK:
                self.record.units += start.job.units
            case CallResult.REFUSED:
                pass
            case CallResult.RATE_LIMITED | CallResult.FAILED | CallResult.TIMED_OUT:
                self.record.failed += 1
                self._retry(start.job, counts=verdict.counts, wait=verdict.wait)
        self._claim(worker)

    def _retry(self, job: Job, *, counts: bool, wait: float | None) -> None:
        if wait is None:
            wait = (
                self._delays.uniform(0.5, 1.0) * min(60.0, 2.0 * 2.0**job.failures) * (1.0 if counts else 0.5)
            )
        job.failures += counts
        if job.failures >= self._max_failures:
            self.record.dead += 1
        else:
            self._clock.after(wait, partial(self._ready.appendleft, job))
