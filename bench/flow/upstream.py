"""The simulated endpoint: replicas share their speed among their calls, refuse, hang, fail and go down."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from bench.flow.clock import Clock
from bench.flow.conditions import Conditions
from bench.flow.controller import CallResult, Outcome
from bench.flow.job import Job

CLIENT_TIMEOUT = 120.0
FAILED = Outcome(CallResult.FAILED)
BUDGET_SECONDS = 15.0  # of its budget that the endpoint lets a client save up


@dataclass(slots=True, eq=False)
class Call:
    job: Job
    on_end: Callable[[Outcome], None]
    replica: "Replica | None" = None
    left: float = 0.0  # work
    fails: bool = False
    has_ended: bool = False


@dataclass(slots=True, eq=False)
class Replica:
    since: float  # when the work of its calls was last brought up to date
    working: list[Call] = field(default_factory=list)
    hanging: list[Call] = field(default_factory=list)
    plan: int = 0  # the next completion is planned again with every change; older plans are void

    @property
    def load(self) -> int:
        return len(self.working) + len(self.hanging)


class Upstream:
    def __init__(self, clock: Clock, random: Random, conditions: Conditions) -> None:
        self._clock = clock
        self._random = random
        self._now_is = conditions
        self._replicas = [Replica(clock.now) for _ in range(conditions.replicas)]
        self._budget = 0.0
        self._budget_at = 0.0

    @property
    def useful_slots(self) -> float:
        """Work that is done per second, in calls at full speed."""
        return sum(len(r.working) * self._now_is.speed_of_each(len(r.working)) for r in self._replicas)

    def submit(self, job: Job, on_end: Callable[[Outcome], None]) -> None:
        call = Call(job, on_end)
        self._clock.after(CLIENT_TIMEOUT, partial(self._end, call, Outcome(CallResult.TIMED_OUT)))
        if self._now_is.is_down:
            if self._random.random() >= self._now_is.hang_when_down:
                self._end_later(call, self._random.uniform(0.2, 2.0), FAILED)
        elif job.is_refused:
            self._end_later(call, 0.3, Outcome(CallResult.REFUSED))
        elif job.is_poison:
            self._end_later(call, self._random.uniform(0.2, 2.0), FAILED)
        elif (wait := self._wait_for_budget(job)) is not None:
            self._end_later(call, 0.15, Outcome(CallResult.RATE_LIMITED, wait))
        elif self._random.random() < self._now_is.burst:
            self._end_later(call, self._random.uniform(0.2, 3.0), FAILED)
        else:
            self._place(call)

    def _wait_for_budget(self, job: Job) -> float | None:
        """Takes the job's units from the budget, or says in how many seconds there will be enough."""
        rate = self._now_is.units_per_minute / 60.0
        if not rate:
            return None
        most = BUDGET_SECONDS * rate
        self._budget = min(most, self._budget + (self._clock.now - self._budget_at) * rate)
        self._budget_at = self._clock.now
        needed = min(job.units, most)
        if self._budget < needed:
            return math.ceil((needed - self._budget) / rate)
        self._budget -= needed
        return None

    def _place(self, call: Call) -> None:
        """On the replica with the fewest calls, as far as the balancer can tell."""
        replica = min(self._replicas, key=lambda replica: replica.load + 0.5 * self._random.random())
        if replica.load >= self._now_is.room:
            if self._random.random() < self._now_is.hang:
                call.replica = replica
                replica.hanging.append(call)
            else:
                self._end_later(call, self._random.uniform(0.2, 2.0), FAILED)
            return
        self._bring_up_to_date(replica)
        call.replica = replica
        call.left = call.job.work
        call.fails = self._random.random() < self._now_is.errors
        if call.fails:
            call.left *= self._random.random()
        replica.working.append(call)
        self._plan(replica)

    def _bring_up_to_date(self, replica: Replica) -> None:
        done = (self._clock.now - replica.since) * self._now_is.speed_of_each(len(replica.working))
        for call in replica.working:
            call.left -= done
        replica.since = self._clock.now

    def _plan(self, replica: Replica) -> None:
        """Plans the next completion on this replica."""
        replica.plan += 1
        if replica.working:
            least = min(call.left for call in replica.working)
            seconds = max(0.0, least) / self._now_is.speed_of_each(len(replica.working))
            self._clock.after(seconds, partial(self._complete, replica, replica.plan))

    def _complete(self, replica: Replica, plan: int) -> None:
        if plan != replica.plan:
            return
        self._bring_up_to_date(replica)
        done = [call for call in replica.working if call.left <= 1e-6]
        replica.working = [call for call in replica.working if call.left > 1e-6]
        self._plan(replica)
        for call in done:
            call.replica = None
            self._end(call, FAILED if call.fails else Outcome(CallResult.OK))

    def _end_later(self, call: Call, seconds: float, outcome: Outcome) -> None:
        self._clock.after(seconds, partial(self._end, call, outcome))

    def _end(self, call: Call, outcome: Outcome) -> None:
        if call.has_ended:
            return
        call.has_ended = True
        self._drop(call)
        call.on_end(outcome)

    def _drop(self, call: Call) -> None:
        """The client is gone: the replica forgets the call."""
        replica, call.replica = call.replica, None
        if replica is None:
            return
        if call in replica.working:
            self._bring_up_to_date(replica)
            replica.working.remove(call)
            self._plan(replica)
        else:
            replica.hanging.remove(call)

    def change(self, **changes: Any) -> None:
        """New conditions from now on; what was done so far was done under the old ones."""
        for replica in self._replicas:
            self._bring_up_to_date(replica)
        self._now_is = replace(self._now_is, **changes)
        if "units_per_minute" in changes:
            self._budget, self._budget_at = 0.0, self._clock.now
        if self._now_is.is_down:
            for replica in self._replicas:
                self._abandon(replica, replica.working, 1.0)
                replica.working = []
        while len(self._replicas) > self._now_is.replicas:
            replica = self._replicas.pop()
            self._abandon(replica, replica.working + replica.hanging, 0.1)
            replica.working, replica.hanging = [], []
        while len(self._replicas) < self._now_is.replicas:
            self._replicas.append(Replica(self._clock.now))
        for replica in self._replicas:
            self._plan(replica)

    def _abandon(self, replica: Replica, calls: list[Call], within: float) -> None:
        replica.plan += 1
        for call in calls:
            call.replica = None
            self._end_later(call, self._random.uniform(0.0, within), FAILED)
