"""The simulated model server, for tests in the same event loop, in a thread, or as a process of its own."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self, Unpack

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption, WrongState
from holdfast.testing.model_server.answer import AnswerCallback, echo
from holdfast.testing.model_server.behaviour import Behaviour, Changes, Outage
from holdfast.testing.model_server.callback import Callback
from holdfast.testing.model_server.clock import Clock, RealClock, Timer
from holdfast.testing.model_server.exchange import House
from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.ledger import Ledger
from holdfast.testing.model_server.limits import Limits
from holdfast.testing.model_server.listener import HOST, Listener
from holdfast.testing.model_server.routes import Routes
from holdfast.testing.model_server.simulation import Simulation

Phases = Iterable[tuple[Duration, Mapping[str, object] | Changes]]


class ModelServer:
    """`async with ModelServer(slots=4, noise=0.1, seed=1) as server:` and calls go to `server.url`.

    `phases` change the behaviour at given times after the start: `[("30s", {"outage": "hang"})]`. With
    `time_scale=10` everything takes a tenth of its time. A ManualClock as `clock` makes times exact.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        time_scale: float = 1.0,
        answer: AnswerCallback = echo,
        phases: Phases = (),
        models: Iterable[str] = ("simulated",),
        port: int = 0,
        clock: Clock | None = None,
        limits: Limits | None = None,
        **behaviour: Unpack[Changes],
    ) -> None:
        self._clock = clock or RealClock(time_scale)
        self._limits = limits or Limits()
        self._port = port
        self._callback = Callback(answer)
        self._simulation = Simulation(self._clock, seed, Behaviour().changed(behaviour))
        self._phases = [(parse_duration(at), dict(changes)) for at, changes in phases]
        self._listener: Listener | None = None
        self._timers: list[Timer] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.ledger = Ledger(self._clock)
        house = House(self._clock, self.ledger, self._simulation, self._callback)
        self._routes = Routes(house, tuple(models), self)
        self._check_phases()
