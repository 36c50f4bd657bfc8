"""A fresh database for each test of an application."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.testing import fresh_database
from holdfast.testing import server as testing_server
from holdfast.testing.database import make_template
from tests.patience import PATIENCE


@pytest.fixture
def directory() -> Iterator[Path]:
    """Where anyone may enter: the server does not run as root."""
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


async def test_a_fresh_database_is_migrated_and_gone_afterwards(server_url: str) -> None:
    async with fresh_database(server_url) as url:
        app = Holdfast(url)

        @app.task()
        async def greet() -> None: ...

        async with app:
            await greet.enqueue()
            assert len(await app.jobs()) == 1
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(url)


async def test_two_databases_know_nothing_of_each_other(server_url: str) -> None:
    async with fresh_database(server_url) as one, fresh_database(server_url) as two:
        first, second = Holdfast(one), Holdfast(two)

        @first.task()
        async def greet() -> None: ...

        async with first, second:
            await greet.enqueue()
            assert await second.jobs() == []


async def test_the_template_is_made_once_however_many_ask_at_once(server_url: str) -> None:
    names = await asyncio.gather(*(make_template(server_url) for _ in range(4)))
    assert len(set(names)) == 1


async def test_a_database_that_is_still_in_use_is_dropped_all_the_same(server_url: str) -> None:
    async with fresh_database(server_url) as url:
        conn = await asyncpg.connect(url)
    with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
        await conn.execute("select 1")
    await conn.close()


PROGRAM = """
import asyncio
from holdfast import Holdfast
from holdfast.testing import drain, fresh_database

async def main() -> None:
    for name in ("Ada", "Grace"):
        async with fresh_database() as url, Holdfast(url) as app:
            @app.task()
            async def greet(name: str) -> str:
                return f"Hello {name}"

            handle = await greet.enqueue(name)
            await drain(app)
            print(await handle.result())

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.alone
async def test_without_any_setting_an_embedded_server_is_used_and_stopped_at_the_end(
    directory: Path,
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        env={**os.environ, "TMPDIR": str(directory), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, output.decode(), errors.decode()) == (0, "Hello Ada\nHello Grace\n", "")
    assert [*directory.glob("holdfast-testing-*/pg*/PG_VERSION")]
    assert not [*directory.glob("holdfast-testing-*/pg*/postmaster.pid")]


async def test_a_server_named_in_the_environment_is_used(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_TEST_DATABASE_URL", server_url)
    assert testing_server.find_server() == server_url
