"""One embedded server for all test processes, and databases cloned from a migrated template."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
import pytest_asyncio
from asyncpg import Record
from hypothesis import HealthCheck, settings

from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from holdfast.embedded.find_programs import find_binaries
from holdfast.testing.server import SETTINGS, place_for
from tests.database import fresh_database, make_template
from tests.proof.registry import FAULTS
from tests.started import end, started_processes

# On a busy machine an example takes as long as it takes.
settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

PROOFS = {f"tests/{proof}" for line in FAULTS for proof in line.proofs}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/proof/") or item.nodeid.partition("[")[0] in PROOFS:
            item.add_marker(pytest.mark.proof)
        if "shared_connection" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(autouse=True)
def no_database_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test must not touch the database that the developer's environment names."""
    for name in [*os.environ]:
        if name.startswith(("HOLDFAST_", "PG", "DATABASE_URL")) and name != "HOLDFAST_POSTGRES_BIN":
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def every_process_ends() -> Iterator[None]:
    """Also those of a test that failed: one that lives on takes the machine's time from the tests after it,
    and its ResourceWarning would fail the one that happens to run then.
    """
    with started_processes() as started:
        yield
    left = [process for process in started if process.poll() is None]
    for process in left:
        end(process)
    assert not left, (
        f"the test left processes behind, which were killed: {[process.args for process in left]}"
    )


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Shared by all processes of all test runs of this user; the last one out stops it.

    Each version that HOLDFAST_POSTGRES_BIN names, as `./dev test --postgres N` does, has a server of its own.
    """
    version = f"-{find_binaries().version}" if "HOLDFAST_POSTGRES_BIN" in os.environ else ""
    server = EmbeddedServer(place_for(f"holdfast-tests{version}"), settings=SETTINGS)
    url = server.start()
    yield url
    server.stop()


@pytest.fixture(scope="session")
def template(server_url: str) -> str:
    """The name of a migrated database to clone."""
    return asyncio.run(make_template(server_url))


@pytest.fixture
async def empty_database_url(server_url: str) -> AsyncIterator[str]:
    """A new database without Holdfast."""
    async with fresh_database(server_url) as url:
        yield url


@pytest.fixture
async def database_url(server_url: str, template: str) -> AsyncIterator[str]:
    """A new migrated database: for tests where commits, NOTIFY or several connections matter."""
    async with fresh_database(server_url, template) as url:
        yield url


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    async with Database(database_url) as database:
        yield database


@pytest.fixture(scope="session")
def shared_database_url(server_url: str, template: str) -> Iterator[str]:
    """A migrated database of this test process, in which nothing is ever committed."""
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        yield runner.run(database.__aenter__())
        runner.run(database.__aexit__(None, None, None))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_connection(shared_database_url: str) -> AsyncIterator["asyncpg.Connection[Record]"]:
    """Of all tests of `conn`: a new session reads the catalogs and compiles each function, 150 ms a test."""
    connection = await asyncpg.connect(shared_database_url)
    yield connection
    await connection.close()


@pytest_asyncio.fixture(loop_scope="session")
async def conn(
    shared_connection: "asyncpg.Connection[Record]",
) -> AsyncIterator["asyncpg.Connection[Record]"]:
    """A connection in a transaction that is rolled back: the default for tests of one connection."""
    transaction = shared_connection.transaction()
    await transaction.start()
    yield shared_connection
    await transaction.rollback()
