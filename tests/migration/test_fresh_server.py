"""Roles belong to the whole server, so how they come to be is seen only on a server without them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import asyncpg
import pytest

from holdfast.db import jobs
from holdfast.db.migrate import FUNCTION_SET, migrate
from holdfast.embedded import EmbeddedServer
from holdfast.model.payload import encode
from tests.database import url_of
from tests.migration.release import connection

pytestmark = pytest.mark.slow


@pytest.fixture
def fresh_server() -> Iterator[str]:
    directory = Path(mkdtemp(prefix="holdfast-test-"))
    directory.chmod(0o755)
    server = EmbeddedServer(directory / "data", settings={"fsync": "off"})
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(directory)


async def as_user(server: str, attributes: str) -> str:
    """The URL of a database of their own, for a user who is no superuser."""
    admin = await asyncpg.connect(server)
    await admin.execute(f"create role ada login {attributes}")
    await admin.execute("create database ada owner ada")
    await admin.close()
    return url_of(server, "ada").replace("//holdfast@", "//ada@")


async def test_where_roles_cannot_be_made_the_report_says_so_and_all_works(fresh_server: str) -> None:
    async with connection(await as_user(fresh_server, "")) as ada:
        report = await migrate(ada)
        assert (report.roles, report.owner) == (False, "ada")
        assert await jobs.enqueue_jobs(ada, ["t"], [encode(1)])
        assert not (await migrate(ada)).changed


async def test_a_user_who_may_create_roles_makes_them_and_installs_as_the_owner(fresh_server: str) -> None:
    async with connection(await as_user(fresh_server, "createrole")) as ada:
        report = await migrate(ada)
        assert (report.roles, report.owner) == (True, "holdfast_owner")
        assert not (await migrate(ada)).changed
        await ada.execute("grant holdfast_producer to ada")
        assert await jobs.enqueue_jobs(ada, ["t"], [encode(1)])


async def test_a_superuser_migrates_what_a_user_who_may_create_roles_installed(fresh_server: str) -> None:
    async with connection(await as_user(fresh_server, "createrole")) as ada:
        await migrate(ada)
    async with connection(url_of(fresh_server, "ada")) as superuser:
        assert (await migrate(superuser, function_set=FUNCTION_SET + 1)).changed
