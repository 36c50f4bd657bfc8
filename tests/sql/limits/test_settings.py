"""What may be said of limits, and how it is read back."""

from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, refusal, to_json
from tests.sql.limits.scene import a_task

NONSENSE: list[Any] = ["many", True, [], {}, 1.5]
BAD_NUMBERS = [("max_concurrent", bad) for bad in [*NONSENSE, 0, -1, 10**8]]
BAD_RATES = [
    ("rate", bad)
    for bad in [*NONSENSE, "", "0/minute", "5/", "5/fortnight", 5, "200000/day", "1/40d", "-5/minute"]
]
SHOWN = "select max_concurrent, rate from holdfast.queue_view where name = 'q'"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"max_concurrent": 4}, (4, None)),
        ({"max_concurrent": "7", "rate": "100/minute"}, (7, "100/minute")),
        ({"rate": "5 per second"}, (None, "5/second")),
        ({"rate": " 20 / 30s "}, (None, "20/30s")),
        ({"rate": "3/2h"}, (None, "3/7200s")),
        ({"rate": "1 a day"}, (None, "1/day")),
        ({"max_concurrent": "none", "rate": "none"}, (None, None)),
    ],
)
async def test_limits_are_read_back_as_people_write_them(
    conn: Connection, given: dict[str, Any], shown: tuple[int | None, str | None]
) -> None:
    await a_queue(conn, "q", **given)
    assert tuple(await conn.fetchrow(SHOWN) or ()) == shown


@pytest.mark.parametrize("verb", ["declare_queue", "declare_task"])
@pytest.mark.parametrize(("key", "bad"), [*BAD_NUMBERS, *BAD_RATES])
async def test_a_limit_that_makes_no_sense_is_refused_with_a_hint(
    conn: Connection, verb: str, key: str, bad: Any
) -> None:
    error = await refusal(conn, f"select holdfast.{verb}('q', $1)", to_json({key: bad}))
    assert error.sqlstate == "HF002"
    assert getattr(error, "hint", "")
    assert await conn.fetchval("select count(*) from holdfast.limits") == 0


async def test_only_the_keys_given_are_changed_and_null_takes_one_off(conn: Connection) -> None:
    await a_queue(conn, "q", max_concurrent=4, rate="100/minute")
    await a_queue(conn, "q", max_concurrent=5)
    assert tuple(await conn.fetchrow(SHOWN) or ()) == (5, "100/minute")
    await a_queue(conn, "q", rate=None)
    assert tuple(await conn.fetchrow(SHOWN) or ()) == (5, None)
    await a_queue(conn, "q", priority=10)
    assert tuple(await conn.fetchrow(SHOWN) or ()) == (5, None)
    await a_queue(conn, "q", max_concurrent=None)
    assert await conn.fetchval("select count(*) from holdfast.limits") == 0
    assert not await conn.fetchval("select is_limited from holdfast.queues where name = 'q'")


async def test_a_task_that_is_declared_without_its_limit_has_none(conn: Connection) -> None:
    await a_task(conn, "t", max_concurrent=2, rate="1/second")
    shown = "select max_concurrent, rate from holdfast.task_view where name = 't'"
    assert tuple(await conn.fetchrow(shown) or ()) == (2, "1/second")
    await a_task(conn, "t")
    assert tuple(await conn.fetchrow(shown) or ()) == (None, None)


async def test_a_limit_declared_again_is_not_locked(conn: Connection) -> None:
    await a_queue(conn, "q", max_concurrent=4)
    before = await conn.fetchval("select xmax::text || ctid::text from holdfast.limits")
    await a_queue(conn, "q", max_concurrent=4)
    assert await conn.fetchval("select xmax::text || ctid::text from holdfast.limits") == before
