"""A worker logs when an endpoint of its jobs goes down and comes back."""

import logging

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.endpoints import close_endpoint, open_endpoint
from holdfast.worker.events.endpoint_watch import EndpointWatch


@pytest.fixture
async def endpoint(app: Holdfast, caplog: pytest.LogCaptureFixture) -> str:
    caplog.set_level(logging.DEBUG, "holdfast")
    app.endpoint("llm", max=8)
    await app.declare()
    return "llm"


async def test_a_circuit_that_opens_and_closes_is_logged_once_each(
    db: Database, endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    watch = EndpointWatch({endpoint, "unknown"})
    assert await watch.look(db) == 0
    await open_endpoint(db, endpoint, "maintenance", "tests")
    assert [await watch.look(db), await watch.look(db)] == [1, 0]
    await close_endpoint(db, endpoint, "done", "tests")
    assert [await watch.look(db), await watch.look(db)] == [1, 0]
    told = [record for record in caplog.records if "circuit" in record.getMessage()]
    assert [record.levelno for record in told] == [logging.WARNING, logging.INFO]
    opened, closed = (vars(record)["fields"] for record in told)
    assert (opened["endpoint"], opened["before"], opened["circuit"]) == ("llm", "closed", "held_open")
    assert (closed["before"], closed["circuit"]) == ("held_open", "closed")


async def test_an_endpoint_that_is_down_at_the_first_look_is_logged(
    db: Database, endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    await open_endpoint(db, endpoint, "maintenance", "tests")
    assert await EndpointWatch({endpoint}).look(db) == 1


async def test_a_new_limit_is_logged_at_debug(
    app: Holdfast, db: Database, endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    watch = EndpointWatch({endpoint})
    await watch.look(db)
    before = (await db.fetch('select "limit" from holdfast.endpoint_view'))[0][0]
    await db.execute('update holdfast.endpoints set "limit" = "limit" + 1 where name = \'llm\'')
    await watch.look(db)
    (told,) = [record for record in caplog.records if "limit_changed" in record.getMessage()]
    assert told.levelno == logging.DEBUG
    assert vars(told)["fields"] == {"endpoint": "llm", "limit": before + 1, "before": before}


async def test_a_login_that_may_only_work_sees_circuits(db: Database, endpoint: str) -> None:
    await open_endpoint(db, endpoint, "maintenance", "tests")
    async with db.transaction() as conn:
        await conn.execute("set local role holdfast_worker")
        assert await EndpointWatch({endpoint}).look(conn) == 1


async def test_a_worker_without_endpoints_does_not_look() -> None:
    class Untouched:
        async def fetch(self, query: str, /, *args: object) -> list[asyncpg.Record]:
            raise NotImplementedError

        async def execute(self, query: str, /, *args: object) -> str:
            raise NotImplementedError

    assert await EndpointWatch(set()).look(Untouched()) == 0
