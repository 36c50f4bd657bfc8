"""Our controller: the model of the rules, which the tests hold equal to the SQL."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import assert_never

from bench.flow.controller import CallResult, Outcome, Start, Verdict
from bench.flow.job import Job
from tests.flow import model


class Ours:
    def __init__(self, seed: int, mode: model.Mode = model.Mode.FLOW, max_failures: int = 5) -> None:
        self.endpoint = model.Endpoint(0.0, mode)
        self._random = Random(f"controller {seed}")
        self._max_failures = max_failures

    def admit(self, now: float, jobs: Sequence[Job]) -> list[Start]:
        tries = [job.tries + 1 for job in jobs]
        calls = model.admit(self.endpoint, now, [job.estimate for job in jobs], tries).calls
        if calls and calls[0].is_probe:
            return [Start(jobs[model.probing_job(tries)], calls[0])]
        return [Start(job, call) for job, call in zip(jobs, calls, strict=False)]

    def settle(self, now: float, start: Start, outcome: Outcome) -> Verdict:
        call, u = start.permit, self._random.random()
        if not isinstance(call, model.Call):
            raise TypeError(f"{call!r} is not a permit of this controller")
        match outcome.answer:
            case CallResult.OK:
                model.on_ok(self.endpoint, call, now, u, start.job.units)
                return Verdict(counts=False)
            case CallResult.RATE_LIMITED:
                wait = model.on_rate_limited(self.endpoint, call, now, u, outcome.retry_after)
                return Verdict(counts=False, wait=wait)
            case CallResult.FAILED | CallResult.TIMED_OUT:
                call = replace(call, last_try=start.job.last_try)
                return Verdict(model.on_fail(self.endpoint, call, now, u, self._max_failures))
            case CallResult.REFUSED:
                model.on_answered(self.endpoint, call, now)
                return Verdict(counts=True)
            case unknown:
                assert_never(unknown)
