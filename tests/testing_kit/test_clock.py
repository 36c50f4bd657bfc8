"""The fake clock: stands still, moves when told, for all connections."""

from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db import maintenance
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption, WrongState
from holdfast.model.state import State
from holdfast.testing import install_fake_clock
from tests.database import url_of


async def test_time_stands_still_until_it_is_advanced(db: Database) -> None:
    clock = await install_fake_clock(db)
    before = await clock.now()
    assert await clock.now() == before
    assert await clock.advance("5m") == before + timedelta(minutes=5)
    await clock.set(datetime(2030, 1, 1, tzinfo=UTC))
    assert await clock.now() == datetime(2030, 1, 1, tzinfo=UTC)


async def test_other_connections_and_the_verbs_see_the_same_time(db: Database, database_url: str) -> None:
    clock = await install_fake_clock(db)
    app = Holdfast(database_url)

    @app.task()
    async def greet() -> None: ...

    async with app:
        handle = await greet.options(delay="1h").enqueue()
        await clock.advance("59m")
        assert await maintenance.promote_jobs(app.database) == 0
        await clock.advance("1m")
        assert await maintenance.promote_jobs(app.database) == 1
        assert await handle.status() is State.READY


async def test_roles_without_rights_on_tables_can_read_the_time(db: Database) -> None:
    clock = await install_fake_clock(db)
    async with db.transaction() as conn:
        await conn.execute("set local role holdfast_producer")
        assert await conn.fetchval("select holdfast.now()") == await clock.now()


async def test_installing_it_twice_keeps_the_time(db: Database) -> None:
    clock = await install_fake_clock(db)
    await clock.set(datetime(2030, 1, 1, tzinfo=UTC))
    again = await install_fake_clock(db)
    assert await again.now() == datetime(2030, 1, 1, tzinfo=UTC)


async def test_uninstalled_the_real_clock_goes_on(db: Database) -> None:
    clock = await install_fake_clock(db)
    await clock.set(datetime(2030, 1, 1, tzinfo=UTC))
    await clock.uninstall()
    assert abs(await clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
    assert await clock.now() < await clock.now()


async def test_a_time_without_a_zone_is_refused(db: Database) -> None:
    clock = await install_fake_clock(db)
    with pytest.raises(InvalidOption, match="zone"):
        await clock.set((await clock.now()).replace(tzinfo=None))


async def test_it_is_refused_in_a_database_that_is_not_named_for_tests(
    db: Database, database_url: str, server_url: str
) -> None:
    conn = await asyncpg.connect(url_of(server_url, "postgres"))
    with pytest.raises(WrongState, match="postgres"):
        await install_fake_clock(conn)
    assert await conn.fetchval("select to_regclass('holdfast.test_clock')") is None
    await conn.close()
