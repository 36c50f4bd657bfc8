"""The simulated machine: replicas, memory, token budget, outages. It knows nothing of HTTP."""

from random import Random
from typing import assert_never

from holdfast.testing.model_server.behaviour import Behaviour, Outage
from holdfast.testing.model_server.budget import Budget
from holdfast.testing.model_server.clock import Clock
from holdfast.testing.model_server.fate import Fate, Interrupted
from holdfast.testing.model_server.ledger import CallId
from holdfast.testing.model_server.luck import Luck, draw
from holdfast.testing.model_server.replica import Replica
from holdfast.testing.model_server.retry_after import retry_headers
from holdfast.testing.model_server.speed import speed_of
from holdfast.testing.model_server.verdict import Admitted, Broken, Hangs, Place, Refused, Verdict

UNAVAILABLE = "The server is unavailable."


class Simulation:
    def __init__(self, clock: Clock, seed: int, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.replicas: list[Replica] = []
        self._clock = clock
        self._seed = seed
        self._budget = Budget(clock, behaviour)
        self._outages = 0
        self._scale()

    def admit(self, number: CallId, tokens_in: int, tokens_out: int) -> Verdict:
        """Outage first, then the limits, then the machine: the order in which a call meets them in life."""
        luck = draw(self._seed, number)
        return (
            self._outage(luck)
            or self._rate_limit(luck, tokens_in + tokens_out)
            or self._memory(luck)
            or self._start(luck, tokens_out)
        )

    def change(self, behaviour: Behaviour) -> None:
        before, self.behaviour = self.behaviour, behaviour
        self._budget.change(behaviour)
        self._scale()
        for replica in self.replicas:
            replica.change_speed(speed_of(behaviour))
        if behaviour.outage not in (Outage.NONE, before.outage):
            self._strike()

    def close(self) -> None:
        for replica in self.replicas:
            replica.close()

    def _outage(self, luck: Luck) -> Verdict | None:
        if luck.outage >= self.behaviour.outage_share:
            return None
        match self.behaviour.outage:
            case Outage.NONE:
                return None
            case Outage.REFUSED:
                return Broken(Fate.OUTAGE)
            case Outage.UNAVAILABLE:
                return Refused(Fate.OUTAGE, 503, UNAVAILABLE)
            case Outage.HANG:
                return Hangs(None)
            case _ as never:
                assert_never(never)

    def _rate_limit(self, luck: Luck, tokens: int) -> Verdict | None:
        if luck.busy < self.behaviour.busy:
            return self._too_many(1.0, "Too many requests.")
        wait = self._budget.take(tokens)
        if wait == 0:
            return None
        limit = self.behaviour.tokens_per_minute
        return self._too_many(wait, f"The limit of {limit} tokens per minute is reached.")

    def _too_many(self, wait: float, message: str) -> Refused:
        headers = retry_headers(self.behaviour.retry_after, wait, self._clock)
        return Refused(Fate.RATE_LIMITED, 429, message, headers)

    def _memory(self, luck: Luck) -> Verdict | None:
        if not self.replicas:
            return Refused(Fate.REPLICA_GONE, 503, "There is no replica.")
        index, replica = self._least_loaded()
        if self.behaviour.memory is None or replica.load < self.behaviour.memory:
            return None
        if luck.cliff < self.behaviour.cliff_hangs:
            return Hangs(Place(replica, index, replica.hang()))
        return Refused(Fate.OVER_MEMORY, 500, "The server ran out of memory.")

    def _start(self, luck: Luck, tokens: int) -> Verdict:
        behaviour = self.behaviour
        base = behaviour.base.total_seconds()
        plain = base + tokens / behaviour.tokens_per_second
        fails = luck.noise < behaviour.noise
        part = luck.failing_part if fails else 1.0
        index, replica = self._least_loaded()
        ticket = replica.start(plain * luck.stretch(behaviour.spread) * part)
        return Admitted(
            place=Place(replica, index, ticket),
            first_part=base / plain if plain else 0.0,
            failing_status=luck.failing_status if fails else None,
            is_error_inside=luck.error_inside < behaviour.error_inside,
            is_cut=luck.cut < behaviour.cut,
        )

    def _least_loaded(self) -> tuple[int, Replica]:
        return min(enumerate(self.replicas), key=lambda pair: (pair[1].load, pair[0]))

    def _scale(self) -> None:
        """The last replicas go first, and their calls with them."""
        while len(self.replicas) < self.behaviour.replicas:
            self.replicas.append(Replica(self._clock, speed_of(self.behaviour)))
        while len(self.replicas) > self.behaviour.replicas:
            replica = self.replicas.pop()
            for ticket in [*replica.under_way, *replica.hung]:
                replica.interrupt(ticket, Interrupted(Fate.REPLICA_GONE, 503, "The replica went away."))
            replica.close()

    def _strike(self) -> None:
        """An outage begins: it takes its share of the calls under way."""
        self._outages += 1
        chance = Random(f"{self._seed}/outage/{self._outages}")
        for replica in self.replicas:
            for ticket in [*replica.under_way]:
                if chance.random() >= self.behaviour.outage_share:
                    continue
                if self.behaviour.outage is Outage.HANG:
                    replica.stall(ticket)
                else:
                    status = 503 if self.behaviour.outage is Outage.UNAVAILABLE else None
                    replica.interrupt(ticket, Interrupted(Fate.OUTAGE, status, UNAVAILABLE))
