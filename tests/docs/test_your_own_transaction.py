"""The programs of the guide run as they stand: an order and its job, on every driver."""

import asyncio
import sys

import pytest

from holdfast.db.connect import Database
from tests.docs.page import blocks, environment
from tests.patience import PATIENCE

PAGE = "guides/your-own-transaction.md"
PROGRAMS = dict(blocks(PAGE, "python"))
ORDERS = "select id from orders"
JOBS = "select (payload ->> 'order')::bigint from holdfast.job_view where task = 'confirm' and queue = 'mail'"


def test_there_is_a_program_for_every_driver() -> None:
    assert [*PROGRAMS] == ["asyncpg", "psycopg", "SQLAlchemy", "SQLAlchemy with asyncio", "Django"]


@pytest.mark.parametrize("driver", PROGRAMS)
async def test_the_program_stores_an_order_and_its_job(driver: str, database_url: str, db: Database) -> None:
    for _, statement in blocks(PAGE, "sql"):
        await db.execute(statement)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "error", "-c", PROGRAMS[driver]),
        env=environment(database_url),
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, errors.decode()) == (0, "")
    orders, jobs = await db.fetch(ORDERS), await db.fetch(JOBS)
    assert len(orders) == 1
    assert [*map(tuple, jobs)] == [*map(tuple, orders)]
