"""The model server in a thread of its own, for tests without an event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Self, Unpack

from holdfast.model.error import Timeout, WrongState
from holdfast.testing.model_server.behaviour import Changes
from holdfast.testing.model_server.ledger import Ledger
from holdfast.testing.model_server.server import ModelServer

PATIENCE = 10.0


class ThreadedModelServer:
    def __init__(self, make: Callable[[], ModelServer]) -> None:
        self._make = make
        self._started: Future[ModelServer] = Future()
        self._ended: Future[None] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    def __enter__(self) -> Self:
        if self._loop is not None:
            raise WrongState("This model server is running already.", "make another one")
        threading.Thread(target=self._run, name="model-server", daemon=True).start()
        self._started.result(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None and not self._ended.done():
            self._loop.call_soon_threadsafe(self._stop.set)
        try:
            self._ended.result(PATIENCE)
        except TimeoutError as exc:
            raise Timeout(
                "The model server did not end.", "an answer callback that blocks would do that"
            ) from exc
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
        """When it returns, things are so."""
        done: Future[None] = Future()

        def change() -> None:
            try:
                self._server.change(**changes)
            except Exception as exc:
                done.set_exception(exc)
            else:
                done.set_result(None)

        if self._loop is None:
            raise WrongState("This model server is not running.", "use it in `with`")
        self._loop.call_soon_threadsafe(change)
        done.result(PATIENCE)

    @property
    def _server(self) -> ModelServer:
        if not self._started.done():
            raise WrongState("This model server is not running.", "use it in `with`")
        return self._started.result()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
            self._ended.set_result(None)
        except BaseException as exc:
            waiting = self._ended if self._started.done() else self._started
            waiting.set_exception(exc)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with self._make() as server:
            self._started.set_result(server)
            await self._stop.wait()
