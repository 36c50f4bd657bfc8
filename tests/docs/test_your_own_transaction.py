"""The programs of the guide run as they stand: an order and its job, on every driver."""

import asyncio
import sys
from urllib.parse import urlsplit

import pytest

from chaos.postgres_proxy import proxied_postgres
from holdfast.db.connect import Database
from tests.docs.page import blocks, environment
from tests.patience import PATIENCE

PAGE = "guides/your-own-transaction.md"
PROGRAMS = dict(blocks(PAGE, "python"))
NO_TABLE = "select 1 where to_regclass('orders') is null"
ORDERS = "select id from orders order by id"
JOBS = """
select (payload ->> 'order')::bigint
from holdfast.job_view
where task = 'confirm' and queue = 'confirmations'
order by 1
"""


def test_there_is_a_program_for_every_driver() -> None:
    assert [*PROGRAMS] == ["asyncpg", "psycopg", "SQLAlchemy", "SQLAlchemy with asyncio", "Django"]


@pytest.mark.parametrize("driver", PROGRAMS)
async def test_the_program_stores_an_order_and_its_job(driver: str, database_url: str) -> None:
    async with Database(database_url) as db:
        ((_, table),) = blocks(PAGE, "sql")
        if await db.fetch(NO_TABLE):
            await db.execute(table)
        before = len(await db.fetch(ORDERS))
        await said_by(PROGRAMS[driver], database_url)
        orders, jobs = await db.fetch(ORDERS), await db.fetch(JOBS)
        assert len(orders) == before + 1
        assert [*map(tuple, jobs)] == [*map(tuple, orders)]


async def test_the_django_program_takes_host_port_and_password_of_the_url(database_url: str) -> None:
    """By TCP, through a proxy in front of the socket of the database."""
    async with Database(database_url) as db, proxied_postgres(database_url) as (proxy, url):
        await db.execute(blocks(PAGE, "sql")[0][1])
        user, port = urlsplit(url).username, proxy.port
        given = url.replace(f"{user}@", f"{user}:s%40cret@").removesuffix("?sslmode=disable")
        shown = "print(*(connection.settings_dict[name] for name in ('HOST', 'PORT', 'PASSWORD')))\n"
        assert await said_by(PROGRAMS["Django"] + shown, given) == f"127.0.0.1 {port} s@cret\n"
        assert len(await db.fetch(ORDERS)) == 1


async def said_by(program: str, database_url: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", program),
        env=environment(database_url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, errors.decode()) == (0, "")
    return said.decode()
