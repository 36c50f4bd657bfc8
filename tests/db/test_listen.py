import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from holdfast.db import jobs
from holdfast.db.address import Address, Source, resolve_address
from holdfast.db.connect import Database
from holdfast.db.listen import READY, Listener
from holdfast.db.statement import fetch_value, run

PATIENCE = 10


class Heard:
    """What a listener said, as something that a test can wait for."""

    def __init__(self) -> None:
        self.payloads: asyncio.Queue[str] = asyncio.Queue()
        self.gaps: asyncio.Queue[None] = asyncio.Queue()

    def listener(self, address: Address) -> Listener:
        quick = timedelta(milliseconds=100)
        channels = {READY: self.payloads.put_nowait}
        return Listener(
            address, channels, lambda: self.gaps.put_nowait(None), heartbeat=quick, answer_within=3 * quick
        )

    async def payload(self) -> str:
        return await asyncio.wait_for(self.payloads.get(), PATIENCE)

    async def gap(self) -> None:
        await asyncio.wait_for(self.gaps.get(), PATIENCE)


class Proxy:
    """Stands between a client and the server's socket, and can fall silent without closing anything."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._pumps: set[asyncio.Task[None]] = set()

    def freeze(self) -> None:
        """What is connected now hears nothing more; who comes later is served."""
        self._flowing.clear()
        self._flowing = asyncio.Event()
        self._flowing.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        flowing = self._flowing
        up_reader, up_writer = await asyncio.open_unix_connection(self._server)
        for source, target in ((reader, up_writer), (up_reader, writer)):
            task = asyncio.create_task(self._pump(source, target, flowing))
            self._pumps.add(task)

    async def _pump(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, flowing: asyncio.Event
    ) -> None:
        try:
            while data := await source.read(65536):
                await flowing.wait()
                target.write(data)
                await target.drain()
        except OSError:
            pass  # the other side hung up first
        finally:
            target.close()

    async def stop(self) -> None:
        for task in self._pumps:
            task.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)


def socket_directory(url: str) -> Path:
    return Path(parse_qs(urlsplit(url).query)["host"][0])


def at_socket(url: str, directory: Path) -> str:
    parts = urlsplit(url)
    return parts._replace(query=urlencode({"host": directory, "port": 5432})).geturl()


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    proxy = Proxy(str(socket_directory(url) / ".s.PGSQL.5432"))
    with TemporaryDirectory(prefix="hf") as directory:
        server = await asyncio.start_unix_server(proxy.serve, str(Path(directory) / ".s.PGSQL.5432"))
        yield proxy, at_socket(url, Path(directory))
        server.close()
        await proxy.stop()


async def until(condition: str, db: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await fetch_value(db, condition):
            await asyncio.sleep(0.01)


SESSIONS = (
    "from pg_stat_activity where application_name = 'holdfast listener' and datname = current_database()"
)


async def test_a_notification_reaches_its_callback_after_the_commit(db: Database) -> None:
    heard = Heard()
    async with heard.listener(db.address) as listener:
        await heard.gap()
        assert listener.alive
        async with db.transaction() as conn:
            await jobs.notify_ready(conn, ["early"])
            await jobs.notify_ready(db, ["first"])
        assert [await heard.payload(), await heard.payload()] == ["first", "early"]
    assert not listener.alive


async def test_an_enqueue_wakes_who_listens(db: Database) -> None:
    heard = Heard()
    async with heard.listener(db.address):
        await heard.gap()
        await run(db, "select holdfast.enqueue('greet', queue => 'mails')")
        assert await heard.payload() == "mails"


async def test_after_a_lost_session_it_reconnects_and_asks_for_a_poll(db: Database) -> None:
    heard = Heard()
    async with heard.listener(db.address):
        await heard.gap()
        await run(db, f"select pg_terminate_backend(pid) {SESSIONS}")
        await heard.gap()
        await jobs.notify_ready(db, ["again"])
        assert await heard.payload() == "again"


async def test_a_half_open_session_is_noticed_by_its_heartbeat(db: Database) -> None:
    heard = Heard()
    assert db.address.url
    async with proxied(db.address.url) as (proxy, url), heard.listener(resolve_address(url)):
        await heard.gap()
        proxy.freeze()
        await heard.gap()
        await jobs.notify_ready(db, ["through the new session"])
        assert await heard.payload() == "through the new session"


async def test_a_server_that_is_away_is_tried_again_until_it_is_there(db: Database) -> None:
    heard = Heard()
    assert db.address.url
    with TemporaryDirectory(prefix="hf") as directory:
        link = Path(directory) / "socket"
        async with heard.listener(resolve_address(at_socket(db.address.url, link))) as listener:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(heard.gaps.get(), 0.3)
            assert not listener.alive
            link.symlink_to(socket_directory(db.address.url))
            await heard.gap()
            assert listener.alive


async def test_a_stopped_listener_leaves_no_session(db: Database) -> None:
    heard = Heard()
    async with heard.listener(db.address):
        await heard.gap()
        await until(f"select count(*) = 1 {SESSIONS}", db)
    await until(f"select count(*) = 0 {SESSIONS}", db)


async def test_behind_a_pooler_without_a_direct_address_it_never_says_that_it_is_alive(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard()
    async with heard.listener(Address(db.address.url, Source.GIVEN, pooled=True)) as listener:
        assert not listener.alive
        assert "HOLDFAST_DIRECT_URL" in caplog.text
        assert await fetch_value(db, f"select count(*) {SESSIONS}") == 0


async def test_listening_uses_the_direct_address(db: Database) -> None:
    heard = Heard()
    pooled = Address("postgresql://pooler.invalid/x", Source.GIVEN, direct_url=db.address.url, pooled=True)
    async with heard.listener(pooled):
        await heard.gap()
