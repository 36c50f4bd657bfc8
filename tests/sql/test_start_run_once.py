"""start_run_once: a key stands for one run, within its scope, for a day."""

from datetime import timedelta
from uuid import UUID

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import digest
from tests.sql.conftest import Clock

START = "select run, created from holdfast.start_run_once('import', '{\"budget\": 5}', $1, $2, $3)"


async def start(
    conn: Connection, scope: str = "s", key: str = "k", request: str = "one"
) -> tuple[UUID, bool]:
    (row,) = await conn.fetch(START, scope, key, digest(request))
    return row["run"], row["created"]


async def test_the_same_key_gives_the_same_run_and_another_request_a_conflict(conn: Connection) -> None:
    run, created = await start(conn)
    assert created
    assert await start(conn) == (run, False)
    refused = await refusal(conn, START, "s", "k", digest("two"))
    assert (refused.sqlstate, str(run) in str(refused)) == ("HF003", False)
    others = {
        (await start(conn, scope="t", request="two"))[0],
        (await start(conn, key="l", request="two"))[0],
    }
    assert len(others - {run}) == 2
    for table in ("runs", "run_budgets"):
        assert await conn.fetchval(f"select count(*) from holdfast.{table}") == 3, "nothing is left over"


async def test_the_key_is_free_after_a_day(conn: Connection, clock: Clock) -> None:
    run, _ = await start(conn)
    await clock.advance(timedelta(hours=25))
    assert await start(conn, request="two") != (run, False)


@pytest.mark.parametrize(
    ("scope", "key", "request_hash"),
    [
        ("", "k", digest("x")),
        ("s", "", digest("x")),
        ("s", None, digest("x")),
        ("s", "k", b"x"),
        ("s", "k", None),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(
    conn: Connection, scope: str, key: str | None, request_hash: bytes | None
) -> None:
    assert (await refusal(conn, START, scope, key, request_hash)).sqlstate == "HF002"
