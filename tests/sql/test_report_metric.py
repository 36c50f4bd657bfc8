"""Figures from outside: the latest value of each name and label set, within bounds."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import is_waiting, refusal
from tests.sql.conftest import Clock

REPORT = "select holdfast.report_metric($1, $2, $3)"
MOST = 100


async def report(conn: Connection, name: str, value: float, **labels: str) -> None:
    await conn.execute(REPORT, name, value, json.dumps(labels))


async def reported(conn: Connection) -> list[Record]:
    return await conn.fetch("select * from holdfast.reported_metric_view order by name, labels")


async def values(conn: Connection) -> dict[str, float]:
    return {f"{row['name']}{row['labels']}": row["value"] for row in await reported(conn)}


async def test_the_latest_value_is_kept(conn: Connection, clock: Clock) -> None:
    await report(conn, "gpu_load", 0.5, host="a")
    first = (await reported(conn))[0]["reported_at"]
    await clock.advance(timedelta(minutes=1))
    await report(conn, "gpu_load", 0.7, host="a")
    (row,) = await reported(conn)
    assert (row["name"], json.loads(row["labels"]), row["value"]) == ("gpu_load", {"host": "a"}, 0.7)
    assert row["reported_at"] >= first + timedelta(minutes=1)


async def test_each_label_set_has_its_own_value(conn: Connection) -> None:
    await report(conn, "load", 1, host="a", gpu="0")
    await report(conn, "load", 2, gpu="1", host="a")
    await report(conn, "load", 3)
    await report(conn, "load", 4, gpu="0", host="a")
    assert sorted((await values(conn)).values()) == [2, 3, 4]


async def test_labels_can_be_left_out(conn: Connection) -> None:
    await conn.execute("select holdfast.report_metric('load', 1)")
    await conn.execute("select holdfast.report_metric('load', 2, null)")
    assert await values(conn) == {"load{}": 2}


async def test_a_hundred_label_sets_are_kept_and_no_more(conn: Connection) -> None:
    for i in range(MOST):
        await report(conn, "load", i, host=str(i))
    error = await refusal(conn, REPORT, "load", 1.0, '{"host": "one more"}')
    assert error.sqlstate == "HF002"
    assert "100 label sets" in str(error)
    await report(conn, "load", 7, host="99")
    await report(conn, "other", 7, host="one more")
    assert len(await reported(conn)) == MOST + 1


async def test_two_that_report_the_last_label_set_at_once_do_not_exceed_it(database_url: str) -> None:
    one, two = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    for i in range(MOST - 1):
        await report(one, "load", i, host=str(i))
    async with one.transaction():
        await report(one, "load", 1, host="mine")
        late = asyncio.create_task(report(two, "load", 1, host="yours"))
        await is_waiting(database_url, two, late)
    with pytest.raises(asyncpg.PostgresError, match="100 label sets"):
        await late
    assert len(await reported(one)) == MOST
    await asyncio.gather(one.close(), two.close())


async def test_two_that_report_the_same_new_label_set_both_succeed(database_url: str) -> None:
    one, two = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    async with one.transaction():
        await report(one, "load", 1, host="a")
        late = asyncio.create_task(report(two, "load", 2, host="a"))
        await is_waiting(database_url, two, late)
    await late
    assert list((await values(one)).values()) == [2]
    await asyncio.gather(one.close(), two.close())


@pytest.mark.parametrize("name", ["", "1st", "gpu load", "gpu-load", "é", "x" * 201, "holdfast_jobs", None])
async def test_a_name_that_is_none_for_prometheus_is_refused(conn: Connection, name: str | None) -> None:
    error = await refusal(conn, REPORT, name, 1.0, "{}")
    assert error.sqlstate == "HF002"
    assert "name" in str(error)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), None])
async def test_a_value_must_be_finite(conn: Connection, value: float | None) -> None:
    error = await refusal(conn, REPORT, "load", value, "{}")
    assert error.sqlstate == "HF002"
    assert "finite" in str(error)


@pytest.mark.parametrize(
    "labels",
    [
        {"1st": "a"},
        {"a-b": "a"},
        {"__name__": "a"},
        {"a": 1},
        {"a": None},
        {"a": "x" * 201},
        {"x" * 101: "a"},
        {f"l{i}": "x" for i in range(11)},
        {f"l{i}": "€" * 100 for i in range(9)},
        ["a"],
        "a",
    ],
)
async def test_labels_are_few_short_strings(conn: Connection, labels: Any) -> None:
    assert (await refusal(conn, REPORT, "load", 1.0, json.dumps(labels))).sqlstate == "HF002"


async def test_the_largest_label_set_is_stored(conn: Connection) -> None:
    await report(conn, "x" * 200, 1, **{f"l{i}": "x" * 180 for i in range(10)})
    assert len(await reported(conn)) == 1


async def test_what_is_no_longer_reported_is_deleted_after_a_week(conn: Connection, clock: Clock) -> None:
    await report(conn, "old", 1)
    await clock.advance(timedelta(days=6))
    await report(conn, "new", 1)
    await conn.fetch("select holdfast.prune_records()")
    assert len(await reported(conn)) == 2
    await clock.advance(timedelta(days=2))
    await conn.fetch("select holdfast.prune_records()")
    assert [row["name"] for row in await reported(conn)] == ["new"]
