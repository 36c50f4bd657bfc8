"""A job in a transaction that is prepared first and committed later: PostgreSQL allows no NOTIFY in it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import mkdtemp

import asyncpg
import psycopg
import pytest
from asyncpg import Record

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.embedded import EmbeddedServer
from holdfast.model.state import State
from tests.database import fresh_database, make_template
from tests.worker.working import ended, working

SQL = (
    "select job_id from holdfast.enqueue_jobs(array['greet'], array['{\"name\": \"Ada\"}'::json], $1::jsonb)"
)


@pytest.fixture(scope="module")
def preparing_server() -> Iterator[str]:
    directory = Path(mkdtemp(prefix="hf-"))
    directory.chmod(0o755)
    settings = {"fsync": "off", "shared_buffers": "16MB", "max_prepared_transactions": "5"}
    server = EmbeddedServer(directory / "data", settings=settings)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(directory)


@pytest.fixture
async def url(preparing_server: str) -> AsyncIterator[str]:
    async with fresh_database(preparing_server, await make_template(preparing_server)) as made:
        yield made


@pytest.fixture
async def app(url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(url) as opened:
        yield opened


@pytest.fixture
async def conn(url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    connection = await asyncpg.connect(url)
    yield connection
    await connection.close()


@pytest.fixture
def greet(app: Holdfast) -> Task[[str], str]:
    @app.task()
    async def greet(name: str) -> str:
        return f"Hello {name}"

    return greet


@pytest.mark.slow
async def test_a_hint_forbids_to_prepare(conn: "asyncpg.Connection[Record]") -> None:
    """Why the option is needed."""
    await conn.execute("begin")
    await conn.fetchval(SQL, "{}")
    with pytest.raises(asyncpg.FeatureNotSupportedError, match="NOTIFY"):
        await conn.execute("prepare transaction 'one'")


async def test_sql_without_a_hint_can_be_prepared(
    app: Holdfast, conn: "asyncpg.Connection[Record]", greet: Task[[str], str]
) -> None:
    await conn.execute("begin")
    job = await conn.fetchval(SQL, '{"notify": false, "unique_key": "k", "order_key": "o"}')
    await conn.execute("prepare transaction 'one'")
    assert await app.jobs() == []
    await conn.execute("commit prepared 'one'")
    async with working(app):
        assert (await ended(app.job(job))).state is State.COMPLETED


async def test_the_client_without_a_hint_can_be_prepared(
    app: Holdfast, conn: "asyncpg.Connection[Record]", greet: Task[[str], str]
) -> None:
    await conn.execute("begin")
    quiet = greet.using(conn, notify=False)
    handle = await quiet.enqueue("Ada")
    await quiet.enqueue_many([greet.call("Bo"), greet.call("Cy")])
    await conn.execute("prepare transaction 'one'")
    await conn.execute("commit prepared 'one'")
    async with working(app):
        assert await handle.result(timeout=15) == "Hello Ada"


async def test_a_prepared_transaction_that_is_rolled_back_leaves_no_job(
    app: Holdfast, conn: "asyncpg.Connection[Record]", greet: Task[[str], str]
) -> None:
    await conn.execute("begin")
    await greet.using(conn, notify=False).enqueue("Ada")
    await conn.execute("prepare transaction 'one'")
    await conn.execute("rollback prepared 'one'")
    assert await app.jobs() == []


async def test_psycopg_prepares_by_its_own_verbs(app: Holdfast, url: str, greet: Task[[str], str]) -> None:
    def two_phases() -> None:
        with psycopg.connect(url) as conn:
            conn.tpc_begin(conn.xid(1, "one", "branch"))
            greet.using(conn, notify=False).enqueue_sync("Ada")
            conn.tpc_prepare()
            conn.tpc_commit()

    await asyncio.to_thread(two_phases)
    assert [job.task for job in await app.jobs()] == ["greet"]
