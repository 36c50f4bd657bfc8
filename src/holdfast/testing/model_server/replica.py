"""One replica: calls share its speed, and each is done when its work is done.

Equal sharing means that at any time all calls under way are served at the same speed. So one running total
per replica is enough: a call that begins at total s with work w is done when the total reaches s + w, however
often the number of calls, and with it the speed, changes in between. `_catch_up` moves the total from one end
of a call to the next, so a timer that goes off late (a busy machine) shifts no work between calls.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.testing.model_server.clock import Clock, Timer

Speed = Callable[[int], float]

# Rounding of sums of floats, in seconds of work.
TINY = 1e-9


@dataclass(slots=True, eq=False)
class Ticket:
    """A call's place on a replica."""

    begin: float
    work: float
    reached: float = -1.0  # part of the work that is done, of those its owner wanted to know of
    wanted: float = 1.0  # part of the work at which its owner is to be woken
    error: Exception | None = None
    waiter: "asyncio.Future[None] | None" = None

    @property
    def next_stop(self) -> float:
        """As a total of the replica."""
        return self.begin + self.work * self.wanted

    def wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class Replica:
    def __init__(self, clock: Clock, speed: Speed) -> None:
        self.under_way: dict[Ticket, None] = {}  # in order of arrival
        self.hung: dict[Ticket, None] = {}
        self._clock = clock
        self._speed = speed
        self._total = 0.0
        self._at = clock.now()
        self._timer: Timer | None = None

    @property
    def load(self) -> int:
        return len(self.under_way) + len(self.hung)

    def start(self, work: float) -> Ticket:
        self._catch_up()
        ticket = Ticket(self._total, work)
        self.under_way[ticket] = None
        self._set_timer()
        return ticket

    def hang(self) -> Ticket:
        """Takes memory and no part in the work."""
        ticket = Ticket(self._total, 0.0)
        self.hung[ticket] = None
        return ticket

    async def reach(self, ticket: Ticket, part: float) -> None:
        """Returns when that part of the work is done; raises the error that `interrupt` gave the ticket."""
        ticket.wanted = part
        self._catch_up()
        while ticket.reached < part and ticket.error is None:
            ticket.waiter = asyncio.get_running_loop().create_future()
            self._set_timer()
            await ticket.waiter
        if ticket.error is not None:
            raise ticket.error

    def leave(self, ticket: Ticket) -> None:
        self._catch_up()
        self.under_way.pop(ticket, None)
        self.hung.pop(ticket, None)
        self._set_timer()

    def interrupt(self, ticket: Ticket, error: Exception) -> None:
        self.leave(ticket)
        ticket.error = error
        ticket.wake()

    def stall(self, ticket: Ticket) -> None:
        """From now on it hangs."""
        self._catch_up()
        if ticket in self.under_way:
            del self.under_way[ticket]
            self.hung[ticket] = None
        self._set_timer()

    def change_speed(self, speed: Speed) -> None:
        self._catch_up()
        self._speed = speed
        self._set_timer()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _catch_up(self) -> None:
        now = self._clock.now()
        while self.under_way:
            ticket = min(self.under_way, key=lambda ticket: ticket.next_stop)
            speed = self._speed(len(self.under_way))
            at = self._at + (ticket.next_stop - self._total) / speed
            if at > now + TINY:
                self._total += max(0.0, now - self._at) * speed
                break
            self._at, self._total = max(self._at, at), max(self._total, ticket.next_stop)
            self._stop_at(ticket)
        if not self.under_way:
            self._total = 0.0  # idle: a total that grows for days would lose its last digits
        self._at = now

    def _stop_at(self, ticket: Ticket) -> None:
        ticket.reached, ticket.wanted = ticket.wanted, 1.0
        if ticket.reached == 1:
            del self.under_way[ticket]
        ticket.wake()

    def _set_timer(self) -> None:
        """For the next stop, at the speed of now."""
        self.close()
        self._timer = None
        if self.under_way:
            next_stop = min(ticket.next_stop for ticket in self.under_way)
            delay = (next_stop - self._total) / self._speed(len(self.under_way))
            self._timer = self._clock.call_later(max(0.0, delay), self._on_timer)

    def _on_timer(self) -> None:
        self._catch_up()
        self._set_timer()
