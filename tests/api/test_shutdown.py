"""How `holdfast serve` stops: what waits is answered, what hangs is ended, and a balancer is warned."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import AsyncClient

from holdfast.api import serve as module
from holdfast.api.serve import ServeOptions, serve
from holdfast.client.app import Holdfast
from tests.patience import PATIENCE

HOUR = timedelta(hours=1)


class Routes:
    """In place of the API: one request that waits as a long poll does, one that never ends."""

    def __init__(self) -> None:
        self.under_way, self.was_cancelled = asyncio.Event(), False

    def app(self, app: Holdfast, *, is_stopping: Callable[[], bool], **_: Any) -> FastAPI:
        api = FastAPI()

        @api.get("/waits")
        async def waits() -> str:
            self.under_way.set()
            while not is_stopping():
                await asyncio.sleep(0.01)
            return "answered"

        @api.get("/hangs")
        async def hangs() -> None:
            self.under_way.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise

        return api


@pytest.fixture
def routes(monkeypatch: pytest.MonkeyPatch) -> Routes:
    made = Routes()
    monkeypatch.setattr(module, "api_app", made.app)
    return made


@asynccontextmanager
async def serving(app: Holdfast, options: ServeOptions) -> AsyncIterator[AsyncClient]:
    """Until a signal stops the server."""
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(PATIENCE):
        server = asyncio.create_task(serve(app, options, lambda found, _: url.set_result(found)))
        async with AsyncClient(base_url=await url, timeout=PATIENCE) as http:
            yield http
            await server


async def test_a_request_that_waits_is_answered_when_the_server_stops(
    app: Holdfast, routes: Routes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "holdfast"):
        async with serving(app, ServeOptions(port=0, grace=HOUR)) as http:
            asked = asyncio.create_task(http.get("/waits"))
            await routes.under_way.wait()
            signal.raise_signal(signal.SIGTERM)
            assert (await asked).json() == "answered"
    told = [(vars(record)["event"], vars(record)["fields"]) for record in caplog.records]
    events = [one for one in told if one[0].startswith("api.")]
    assert [name for name, _ in events] == ["api.started", "api.stopping", "api.stopped"]
    assert events[1][1] == {"requests": 1}


@pytest.mark.parametrize(
    ("grace", "signals"), [(timedelta(0), [signal.SIGTERM]), (HOUR, [signal.SIGTERM, signal.SIGINT])]
)
async def test_the_end_of_the_grace_or_a_second_signal_ends_what_hangs(
    app: Holdfast,
    routes: Routes,
    caplog: pytest.LogCaptureFixture,
    grace: timedelta,
    signals: list[signal.Signals],
) -> None:
    async with serving(app, ServeOptions(port=0, grace=grace)) as http:
        asked = asyncio.create_task(http.get("/hangs"))
        await routes.under_way.wait()
        for number in signals:
            signal.raise_signal(number)
    assert routes.was_cancelled
    refused = await asked
    assert (refused.status_code, refused.json()["code"]) == (503, "server_stopping")
    assert not [record for record in caplog.records if record.exc_info], "no traceback for what was meant"


async def test_during_the_delay_it_is_not_ready_but_takes_requests(app: Holdfast) -> None:
    async with serving(app, ServeOptions(port=0, stop_delay=HOUR)) as http:
        assert (await http.get("/readyz")).status_code == 200
        signal.raise_signal(signal.SIGTERM)
        refused = await http.get("/readyz")
        assert (refused.status_code, refused.json()["failing"]) == (503, ["stopping"])
        assert (await http.get("/livez")).status_code == 200
        signal.raise_signal(signal.SIGTERM)


async def test_a_signal_that_comes_as_soon_as_the_address_is_known_stops_the_server(app: Holdfast) -> None:
    """Otherwise the signal would end the process, and leave its temporary keys behind."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    options = ServeOptions(port=0, without_keys=True, login_link=True)
    announced = []

    def announce(*given: object) -> None:
        announced.append(given)
        signal.raise_signal(signal.SIGTERM)

    try:
        async with asyncio.timeout(PATIENCE):
            await serve(app, options, announce)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(announced) == 1
    assert [key.state for key in await app.keys.list(all_states=True)] == ["revoked", "revoked"]
