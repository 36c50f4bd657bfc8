"""The simulated model server: in the test's own event loop, in a thread, or as a process of its own."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import Conflict, InvalidOption, Timeout, WrongState
from holdfast.model.server_extra import server_extra_missing
from holdfast.testing.model_server.answer import AnswerCallback, Answers, echo
from holdfast.testing.model_server.behaviour import Behaviour, Changes, read_duration
from holdfast.testing.model_server.clock import Clock, RealClock, Timer
from holdfast.testing.model_server.ledger import Ledger
from holdfast.testing.model_server.simulation import Simulation

if TYPE_CHECKING:
    from holdfast.testing.model_server.app import HttpServer

Phases = Iterable[tuple[Duration, Mapping[str, object] | Changes]]

# The client that asked for an outage over HTTP still gets its answer.
FAREWELL = 0.5
# For the thread's start, its end, and a change in it.
PATIENCE = 30.0


class Options(Changes, total=False):
    """What ModelServer takes, behaviour included."""

    seed: int
    time_scale: float
    answer: AnswerCallback
    phases: Phases
    models: Iterable[str]
    port: int
    clock: Clock | None
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
        behaviour: Behaviour | None = None,
        **changes: Unpack[Changes],
    ) -> None:
        self._clock = clock or RealClock(time_scale)
        self._answers = Answers(answer)
        self._simulation = Simulation(self._clock, seed, (behaviour or Behaviour()).changed(changes))
        self._phases = _read_phases(phases, self.behaviour)
        self._timers: list[Timer] = []
        self._wanted_port = port
        self._port: int | None = None
        self.ledger = Ledger(self._clock)
        self._http = self._make_http(tuple(models))

    @classmethod
    def in_thread(cls, **options: Unpack[Options]) -> "ThreadedModelServer":
        """For tests without an event loop: `with ModelServer.in_thread(slots=4) as server:`."""
        return ThreadedModelServer(lambda: cls(**options))

    async def __aenter__(self) -> Self:
        if self._port is not None:
            raise WrongState("This model server is already running.", "create another ModelServer")
        try:
            self._port = self._http.start(self._wanted_port)
        except OSError as exc:
            message = f"Port {self._wanted_port} cannot be used: {exc.strerror}."
            raise Conflict(message, "choose another port, or 0 for any free port") from exc
        self.ledger.begin()
        self._align()
        for at, changes in self._phases:
            self._after(at, changes)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for timer in self._timers:
            timer.cancel()
        await self._http.stop()
        self._simulation.close()
        if error is None and self._answers.raised:
            raise self._answers.raised[0]

    @property
    def url(self) -> str:
        """Without a path; clients of OpenAI's API want `/v1` after it."""
        if self._port is None:
            raise WrongState("This model server is not running.", "use the server inside 'async with'")
        return f"http://127.0.0.1:{self._port}"

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

    def _make_http(self, models: tuple[str, ...]) -> "HttpServer":
        try:
            from holdfast.testing.model_server.app import HttpServer
            from holdfast.testing.model_server.call import Backend
        except ModuleNotFoundError as exc:
            raise server_extra_missing("The simulated model server", exc) from None
        backend = Backend(self._clock, self.ledger, self._simulation, self._answers)
        return HttpServer(backend, models, self._apply)

    def _apply(self, changes: Mapping[str, object]) -> Mapping[str, Any]:
        """As asked for over HTTP, where `for` says after how long things are as before."""
        lasting = read_duration("for", changes["for"]) if "for" in changes else None
        wanted = {name: value for name, value in changes.items() if name != "for"}
        before, after = self.behaviour, self.behaviour.changed(wanted)
        if lasting is None and after.is_closed and not before.is_closed:
            raise InvalidOption(
                "A server that refuses all connections could not receive a request to end the outage.",
                'set an end with "for", such as {"outage": "refused", "for": "30s"}',
            )
        self._simulation.change(after)
        self._timers.append(asyncio.get_running_loop().call_later(FAREWELL, self._align))
        if lasting is not None:
            self._after(lasting, {name: getattr(before, name) for name in wanted})
        return self.behaviour.document()

    def _after(self, delay: timedelta, changes: Mapping[str, object]) -> None:
        def change() -> None:
            self._simulation.change(self.behaviour.changed(changes))
            self._align()

        self._timers.append(self._clock.call_later(delay.total_seconds(), change))

    def _align(self) -> None:
        """Listens, or does not, as the behaviour says."""
        if self.behaviour.is_closed:
            self._http.shut()
        else:
            self._http.open()


def _read_phases(phases: Phases, behaviour: Behaviour) -> list[tuple[timedelta, Mapping[str, object]]]:
    """Checked now, so that a mistake in the third phase does not wait for its time."""
    read = sorted(((parse_duration(at), dict(changes)) for at, changes in phases), key=lambda phase: phase[0])
    for _, changes in read:
        behaviour = behaviour.changed(changes)
    return [*read]


class ThreadedModelServer:
    """A ModelServer on an event loop in a thread of its own."""

    def __init__(self, make: Callable[[], ModelServer]) -> None:
        self._make = make
        self._started: Future[ModelServer] = Future()
        self._ended: Future[None] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        if self._loop is not None:
            raise WrongState("This model server is already running.", "create another one")
        threading.Thread(target=self._run, name="model-server", daemon=True).start()
        self._started.result(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and not self._ended.done():
            self._loop.call_soon_threadsafe(self._stop.set)
        try:
            self._ended.result(PATIENCE)
        except TimeoutError as exc:
            hint = "check whether an answer callback blocks"
            raise Timeout("The model server did not end.", hint) from exc
        except Exception:
            if error is None:
                raise

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def ledger(self) -> Ledger:
        return self._server.ledger

    def max_in_flight(self) -> int:
        return self._server.max_in_flight()

    def change(self, **changes: Unpack[Changes]) -> None:
        """When it returns, the server behaves so."""

        async def change() -> None:
            self._server.change(**changes)

        if self._loop is None:
            raise WrongState("This model server is not running.", "use the server inside 'with'")
        asyncio.run_coroutine_threadsafe(change(), self._loop).result(PATIENCE)

    @property
    def _server(self) -> ModelServer:
        if not self._started.done():
            raise WrongState("This model server is not running.", "use the server inside 'with'")
        return self._started.result()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
            self._ended.set_result(None)
        except BaseException as exc:
            waiting = self._ended if self._started.done() else self._started
            waiting.set_exception(exc)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with self._make() as server:
            self._started.set_result(server)
            await self._stop.wait()


def run_forever(make: Callable[[], ModelServer], announce: Callable[[str], None]) -> ModelServer:
    """Until SIGTERM or Ctrl-C; `announce` gets the address. Returns the server, for its ledger."""

    async def serve() -> ModelServer:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with make() as server:
            announce(server.url)
            await stop.wait()
        return server

    return asyncio.run(serve())
