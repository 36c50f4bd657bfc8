"""The simulated machine: replicas, memory, token budget, outages. It knows nothing of HTTP."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.utils import format_datetime
from random import Random
from typing import assert_never

from holdfast.testing.model_server.behaviour import Behaviour, Outage, RetryAfter, Sharing
from holdfast.testing.model_server.clock import Clock
from holdfast.testing.model_server.ledger import CallId, Outcome
from holdfast.testing.model_server.replica import Replica, Speed, Ticket

UNAVAILABLE = "The server is unavailable."
STATUSES = (500, 502, 503, 504)


class CallFailed(Exception):
    """A call ends without an answer: with an error of that status, or with a reset if there is none."""

    def __init__(
        self, outcome: Outcome, status: int | None, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.outcome = outcome
        self.status = status
        self.message = message
        self.headers = headers or {}


@dataclass(frozen=True, slots=True)
class Admission:
    """A call's place on a replica, and what chance holds for it there."""

    ticket: Ticket
    replica: Replica
    number: int | None = None  # of the replica
    first_part: float = 0.0  # of the work, after which a stream begins
    failing_status: int | None = None  # instead of an answer, after the work
    is_error_inside: bool = False
    is_cut: bool = False

    async def reach(self, part: float) -> None:
        """Returns when that part of the work is done; raises CallFailed if that will never be."""
        await self.replica.reach(self.ticket, part)

    def leave(self) -> None:
        self.replica.leave(self.ticket)


class Simulation:
    def __init__(self, clock: Clock, seed: int, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self._clock = clock
        self._seed = seed
        self._budget = TokenBudget(clock, behaviour)
        self._replicas: list[Replica] = []
        self._nowhere = Replica(clock, lambda calls: 1.0)  # calls that hang in an outage take no memory
        self._outages = 0
        self._scale()

    def admit(self, call: CallId, tokens_in: int, tokens_out: int) -> Admission:
        """Outage first, then the limits, then the machine: the order in which a call meets them in life."""
        chance = Chance(self._seed, call)
        if chance.outage < self.behaviour.outage_share and self._is_down():
            return Admission(self._nowhere.hang(), self._nowhere)
        self._check_rate(chance, tokens_in + tokens_out)
        if not self._replicas:
            raise CallFailed(Outcome.REPLICA_GONE, 503, "There is no replica.")
        number, replica = min(enumerate(self._replicas), key=lambda pair: (pair[1].load, pair[0]))
        if self.behaviour.memory is None or replica.load < self.behaviour.memory:
            return self._start(number, replica, chance, tokens_out)
        if chance.cliff < self.behaviour.cliff_hangs:
            return Admission(replica.hang(), replica, number)
        raise CallFailed(Outcome.OVER_MEMORY, 500, "The server ran out of memory.")

    def change(self, behaviour: Behaviour) -> None:
        before, self.behaviour = self.behaviour, behaviour
        self._budget.change(behaviour)
        self._scale()
        for replica in self._replicas:
            replica.change_speed(speed_of(behaviour))
        if behaviour.outage not in (Outage.NONE, before.outage):
            self._strike()

    def close(self) -> None:
        for replica in self._replicas:
            replica.close()

    def _is_down(self) -> bool:
        """Whether calls hang; raises if they fail instead."""
        match self.behaviour.outage:
            case Outage.NONE:
                return False
            case Outage.HANG:
                return True
            case Outage.REFUSED | Outage.UNAVAILABLE:
                raise self._outage()
            case _ as never:
                assert_never(never)

    def _outage(self) -> CallFailed:
        status = 503 if self.behaviour.outage is Outage.UNAVAILABLE else None
        return CallFailed(Outcome.OUTAGE, status, UNAVAILABLE)

    def _check_rate(self, chance: "Chance", tokens: int) -> None:
        if chance.busy < self.behaviour.busy:
            wait, message = 1.0, "Too many requests."
        elif wait := self._budget.take(tokens):
            message = f"The limit of {self.behaviour.tokens_per_minute} tokens per minute is reached."
        else:
            return
        headers = retry_headers(self.behaviour.retry_after, wait, self._clock)
        raise CallFailed(Outcome.RATE_LIMITED, 429, message, headers)

    def _start(self, number: int, replica: Replica, chance: "Chance", tokens: int) -> Admission:
        behaviour = self.behaviour
        base = behaviour.base.total_seconds()
        plain = base + tokens / behaviour.tokens_per_second
        fails = chance.noise < behaviour.noise
        part = chance.failing_part if fails else 1.0
        return Admission(
            ticket=replica.start(plain * chance.stretch(behaviour.spread) * part),
            replica=replica,
            number=number,
            first_part=base / plain if plain else 0.0,
            failing_status=chance.failing_status if fails else None,
            is_error_inside=chance.error_inside < behaviour.error_inside,
            is_cut=chance.cut < behaviour.cut,
        )

    def _scale(self) -> None:
        """The last replicas go first, and their calls with them."""
        while len(self._replicas) < self.behaviour.replicas:
            self._replicas.append(Replica(self._clock, speed_of(self.behaviour)))
        while len(self._replicas) > self.behaviour.replicas:
            replica = self._replicas.pop()
            for ticket in [*replica.under_way, *replica.hung]:
                replica.interrupt(ticket, CallFailed(Outcome.REPLICA_GONE, 503, "The replica went away."))
            replica.close()

    def _strike(self) -> None:
        """An outage begins: it takes its share of the calls under way."""
        self._outages += 1
        chance = Random(f"{self._seed}/outage/{self._outages}")
        for replica in self._replicas:
            for ticket in [*replica.under_way]:
                if chance.random() >= self.behaviour.outage_share:
                    continue
                if self.behaviour.outage is Outage.HANG:
                    replica.stall(ticket)
                else:
                    replica.interrupt(ticket, self._outage())


class Chance:
    """Of one call: numbers from 0 to 1, to be compared with the shares of a behaviour.

    Seed and number of the call decide them alone, so a run can be repeated.
    """

    def __init__(self, seed: int, number: int) -> None:
        random = Random(f"{seed}/{number}")
        self.outage = random.random()
        self.cliff = random.random()
        self.busy = random.random()
        self.noise = random.random()
        self.failing_part = random.random()  # of the work, after which noise strikes
        self.failing_status = random.choice(STATUSES)
        self.error_inside = random.random()
        self.cut = random.random()
        self._bell = random.gauss(0, 1)

    def stretch(self, spread: float) -> float:
        """Of the work; log-normal with mean 1, so that noise makes no server slower."""
        return math.exp(self._bell * spread - spread * spread / 2)


def speed_of(behaviour: Behaviour) -> Speed:
    """How fast each of n calls on a replica is worked on; 1 is a call that has the replica to itself."""

    def speed(calls: int) -> float:
        match behaviour.sharing:
            case Sharing.PROCESSOR:
                beyond = max(0, calls - behaviour.slots)
                share = behaviour.slots / max(calls, behaviour.slots) / (1 + behaviour.thrash * beyond)
                return behaviour.speed * share
            case Sharing.BATCH:
                return behaviour.speed / (1 + behaviour.batch_cost * (calls - 1))
            case _ as never:
                assert_never(never)

    return speed


class TokenBudget:
    """Tokens per minute: a bucket that fills evenly, and how long until a refused call would fit."""

    def __init__(self, clock: Clock, behaviour: Behaviour) -> None:
        self._clock = clock
        self._at = clock.now()
        self._rate = 0.0
        self._full = self._level = math.inf
        self.change(behaviour)

    def change(self, behaviour: Behaviour) -> None:
        """A new budget begins full; an unchanged one keeps what is left of it."""
        rate, full = 0.0, math.inf
        if behaviour.tokens_per_minute is not None:
            rate = behaviour.tokens_per_minute / 60
            full = max(1.0, rate * behaviour.burst.total_seconds())
        if (rate, full) != (self._rate, self._full):
            self._rate, self._full, self._level, self._at = rate, full, full, self._clock.now()

    def take(self, tokens: int) -> float:
        """Zero if they were taken, else the seconds until they could be. A huge call needs a full bucket."""
        now = self._clock.now()
        self._level = min(self._full, self._level + (now - self._at) * self._rate)
        self._at = now
        need = min(float(tokens), self._full)
        if self._level + 1e-9 < need:
            return (need - self._level) / self._rate
        self._level -= need
        return 0.0


def retry_headers(form: RetryAfter, seconds: float, clock: Clock) -> Mapping[str, str]:
    """In the client's time, not simulated; rounded up, so that a client that obeys is not refused again."""
    wait = clock.real(seconds)
    match form:
        case RetryAfter.SECONDS:
            return {"Retry-After": str(max(1, math.ceil(wait)))}
        case RetryAfter.DATE:
            then = clock.wall() + timedelta(seconds=wait + 1)  # a date has no fractions
            return {"Retry-After": format_datetime(then.replace(microsecond=0), usegmt=True)}
        case RetryAfter.MILLISECONDS:
            return {"retry-after-ms": str(max(1, math.ceil(wait * 1000)))}
        case RetryAfter.NONE:
            return {}
        case _ as never:
            assert_never(never)
