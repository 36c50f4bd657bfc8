"""The oldest server that is at hand: the schema, a worker's whole turn and the invariants hold on it, too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast, Worker
from holdfast.db.connect import connect
from holdfast.db.invariants import check_invariants
from holdfast.db.migrate import migrate
from tests.crash.place import a_durable_server

DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture
def url() -> Iterator[str]:
    with a_durable_server({"shared_buffers": "16MB"}, bin_dir=DEBIAN_15) as server:
        yield server.start()


@pytest.mark.skipif(not DEBIAN_15.exists(), reason="PostgreSQL 15 is not installed")
async def test_jobs_are_done_once_on_postgresql_15(url: str) -> None:
    async with Holdfast(url) as app:

        @app.task()
        async def square(n: int) -> int:
            return n * n

        conn = await connect(app.database.address)
        assert conn.get_server_version().major == 15
        await migrate(conn)
        handles = await square.enqueue_many(square.call(n) for n in range(50))
        await Worker(app, ["default"], drain=True).run()
        assert [await handle.result() for handle in handles] == [n * n for n in range(50)]
        assert await check_invariants(conn) == []
        await conn.close()
