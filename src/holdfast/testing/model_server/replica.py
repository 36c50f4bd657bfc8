"""One replica: calls share its speed, and each is done when its work is done.

Equal sharing means that at any time all calls under way are served at the same speed. So one running total
per replica is enough: a call that begins at total s with work w is done when the total reaches s + w, however
often the number of calls, and with it the speed, changes in between. `_catch_up` moves the total from one end
of a call to the next, so a timer that goes off late (a busy machine) shifts no work between calls.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from holdfast.testing.model_server.clock import Clock, Timer
from holdfast.testing.model_server.fate import Interrupted

Speed = Callable[[int], float]

# Rounding of sums of floats, in seconds of work.
TINY = 1e-9


@dataclass(slots=True, eq=False)
class Ticket:
    """A call's place on a replica."""

    begin: float
    work: float
    is_under_way: bool = True
    interrupted: Interrupted | None = None
    waiter: "asyncio.Future[None] | None" = None

    def wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


@dataclass(order=True, slots=True)
class _Mark:
    """A total at which a ticket's owner wants to be woken; at the last one the ticket's work is done."""

    total: float
    number: int
    ticket: Ticket = field(compare=False)
    is_end: bool = field(compare=False)


class Replica:
    def __init__(self, clock: Clock, speed: Speed) -> None:
        self.under_way: dict[Ticket, None] = {}  # in order of arrival
        self.hung: dict[Ticket, None] = {}
        self._clock = clock
        self._speed = speed
        self._total = 0.0
        self._at = clock.now()
        self._marks: list[_Mark] = []
        self._numbers = itertools.count()
        self._timer: Timer | None = None

    @property
    def load(self) -> int:
        return len(self.under_way) + len(self.hung)

    def start(self, work: float) -> Ticket:
        self._catch_up()
        ticket = Ticket(self._total, work)
        self.under_way[ticket] = None
        self._mark(ticket, work, is_end=True)
        self._set_timer()
        return ticket

    async def reach(self, ticket: Ticket, part: float) -> None:
        """Returns when that part of the work is done; raises Interrupted if that will never be."""
        self._catch_up()
        if part < 1:
            self._mark(ticket, ticket.work * part, is_end=False)
        while not self._has_reached(ticket, part):
            ticket.waiter = asyncio.get_running_loop().create_future()
            self._set_timer()
            await ticket.waiter
        if ticket.interrupted is not None:
            raise ticket.interrupted

    def hang(self) -> Ticket:
        """Takes memory and no part in the work."""
        ticket = Ticket(self._total, 0.0)
        self.hung[ticket] = None
        return ticket

    def leave(self, ticket: Ticket) -> None:
        self._catch_up()
        self._remove(ticket)
        self.hung.pop(ticket, None)
        self._set_timer()

    def interrupt(self, ticket: Ticket, why: Interrupted) -> None:
        self.leave(ticket)
        ticket.interrupted = why
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

    def _has_reached(self, ticket: Ticket, part: float) -> bool:
        if ticket.interrupted is not None or not ticket.is_under_way:
            return True
        is_working = ticket in self.under_way
        return part < 1 and is_working and self._total >= ticket.begin + ticket.work * part - TINY

    def _catch_up(self) -> None:
        now = self._clock.now()
        while (mark := self._next_mark()) is not None:
            at = self._at + (mark.total - self._total) / self._speed(len(self.under_way))
            if at > now + TINY:
                break
            heapq.heappop(self._marks)
            self._at, self._total = max(self._at, at), max(self._total, mark.total)
            if mark.is_end:
                self._remove(mark.ticket)
            mark.ticket.wake()
        if self.under_way and now > self._at:
            self._total += (now - self._at) * self._speed(len(self.under_way))
        if not self.under_way:
            self._total = 0.0  # idle: a total that grows for days would lose its last digits
        self._at = now

    def _next_mark(self) -> _Mark | None:
        while self._marks and self._marks[0].ticket not in self.under_way:
            heapq.heappop(self._marks)
        return self._marks[0] if self._marks else None

    def _mark(self, ticket: Ticket, work: float, is_end: bool) -> None:
        heapq.heappush(self._marks, _Mark(ticket.begin + work, next(self._numbers), ticket, is_end))

    def _remove(self, ticket: Ticket) -> None:
        if ticket in self.under_way:
            del self.under_way[ticket]
            ticket.is_under_way = False

    def _set_timer(self) -> None:
        """For the next mark, at the speed of now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        mark = self._next_mark()
        if mark is not None:
            delay = (mark.total - self._total) / self._speed(len(self.under_way))
            self._timer = self._clock.call_later(max(0.0, delay), self._on_timer)

    def _on_timer(self) -> None:
        self._catch_up()
        self._set_timer()
