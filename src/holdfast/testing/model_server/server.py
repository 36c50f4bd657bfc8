"""The simulated model server: in the test's own event loop, in a thread, or as a process of its own."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import Conflict, InvalidOption, WrongState
from holdfast.testing.model_server.answer import AnswerCallback, echo
from holdfast.testing.model_server.behaviour import Behaviour, Changes, Outage
from holdfast.testing.model_server.callback import Callback
from holdfast.testing.model_server.clock import Clock, RealClock, Timer
from holdfast.testing.model_server.exchange import House
from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.ledger import Ledger
from holdfast.testing.model_server.limits import Limits
from holdfast.testing.model_server.listener import HOST, Listener
from holdfast.testing.model_server.option import read_duration
from holdfast.testing.model_server.routes import Routes
from holdfast.testing.model_server.simulation import Simulation

if TYPE_CHECKING:
    from holdfast.testing.model_server.thread import ThreadedModelServer

Phases = Iterable[tuple[Duration, Mapping[str, object] | Changes]]

# The client that asked for an outage over HTTP still gets its answer.
FAREWELL = 0.1


class Options(Changes, total=False):
    """What ModelServer takes, behaviour included."""

    seed: int
    time_scale: float
    answer: AnswerCallback
    phases: Phases
    models: Iterable[str]
    port: int
    clock: Clock | None
    limits: Limits | None
    behaviour: Behaviour | None


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
        behaviour: Behaviour | None = None,
        **changes: Unpack[Changes],
    ) -> None:
        self._clock = clock or RealClock(time_scale)
        self._limits = limits or Limits()
        self._port = port
        self._callback = Callback(answer)
        self._simulation = Simulation(self._clock, seed, (behaviour or Behaviour()).changed(changes))
        self._phases = _read_phases(phases, self.behaviour)
        self._timers: list[Timer] = []
        self._listener: Listener | None = None
        self.ledger = Ledger(self._clock)
        house = House(self._clock, self.ledger, self._simulation, self._callback)
        self._routes = Routes(house, tuple(models), self)

    @classmethod
    def in_thread(cls, **options: Unpack[Options]) -> "ThreadedModelServer":
        """For tests without an event loop: `with ModelServer.in_thread(slots=4) as server:`."""
        from holdfast.testing.model_server.thread import ThreadedModelServer

        return ThreadedModelServer(lambda: cls(**options))

    async def __aenter__(self) -> Self:
        if self._listener is not None:
            raise WrongState("This model server is running already.", "make another ModelServer")
        self._listener = _listen(self._port, self._limits, self._routes)
        self.ledger.begin()
        self._align()
        for at, changes in self._phases:
            self._after(at.total_seconds(), changes)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for timer in self._timers:
            timer.cancel()
        if self._listener is not None:
            await self._listener.close()
        self._simulation.close()
        if error is None and self._callback.raised:
            raise self._callback.raised[0]

    @property
    def url(self) -> str:
        """Without a path; clients of OpenAI's API want `/v1` after it."""
        if self._listener is None:
            raise WrongState("This model server is not running.", "use it in `async with`")
        return f"http://{HOST}:{self._listener.port}"

    @property
    def behaviour(self) -> Behaviour:
        return self._simulation.behaviour

    def max_in_flight(self) -> int:
        """The most calls that were under way at the same time."""
        return self.ledger.max_in_flight

    def change(self, **changes: Unpack[Changes]) -> None:
        """From now on; calls under way feel a new speed, fewer replicas and a new outage."""
        self._simulation.change(self.behaviour.changed(changes))
        self._align()

    def apply(self, changes: Mapping[str, object]) -> Mapping[str, Any]:
        """As asked for over HTTP, where `for` says after how long things are as before."""
        lasting = read_duration("for", changes["for"]) if "for" in changes else None
        wanted = {name: value for name, value in changes.items() if name != "for"}
        before, after = self.behaviour, self.behaviour.changed(wanted)
        if lasting is None and _refuses_all(after) and not _refuses_all(before):
            raise InvalidOption(
                "A server that refuses all connections could not be told to listen again.",
                'add "for", such as {"outage": "refused", "for": "30s"}',
            )
        self._simulation.change(after)
        asyncio.get_running_loop().call_later(FAREWELL, self._align)
        if lasting is not None:
            self._after(
                lasting.total_seconds(),
                {name: getattr(before, name) for name in wanted},
            )
        return self.behaviour.document()

    def _after(self, seconds: float, changes: Mapping[str, object]) -> None:
        def change() -> None:
            self._simulation.change(self.behaviour.changed(changes))
            self._align()

        self._timers.append(self._clock.call_later(seconds, change))

    def _align(self) -> None:
        """Listens, or does not, as the behaviour says."""
        if self._listener is None:
            return
        if _refuses_all(self.behaviour):
            self._listener.shut(Fate.OUTAGE)
        else:
            self._listener.open()


def _refuses_all(behaviour: Behaviour) -> bool:
    """A smaller share is reset instead: to tell the calls apart the server must accept them."""
    return behaviour.outage is Outage.REFUSED and behaviour.outage_share == 1


def _read_phases(phases: Phases, behaviour: Behaviour) -> list[tuple[timedelta, Mapping[str, object]]]:
    """Checked now, so that a mistake in the third phase does not wait for its time."""
    read = sorted(((parse_duration(at), dict(changes)) for at, changes in phases), key=lambda phase: phase[0])
    for _, changes in read:
        behaviour = behaviour.changed(changes)
    return [*read]


def _listen(port: int, limits: Limits, routes: Routes) -> Listener:
    try:
        return Listener(port, limits, routes.serve)
    except OSError as exc:
        raise Conflict(f"Port {port} cannot be used: {exc.strerror}.", "choose another one, or 0") from exc
