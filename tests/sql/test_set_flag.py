"""Flags: set for all or for one, audited, refused with the list of those that there are."""

import asyncio
import json
from typing import Any

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import a_queue, completed_job, is_waiting, ready_job, refusal

LISTED = (
    "The flags are rescue (on or off; for all or one queue), detail (off, basic or full; for all or one"
    " queue), slots (an integer from 1 to 10000; for all or one worker group), claim_size (auto or an integer"
    " from 1 to 10000; for all or one worker group)."
)


async def set_flag(
    conn: Connection, name: str, value: str | None, queue: str | None = None, group: str | None = None
) -> list[tuple[Any, ...]]:
    rows = await conn.fetch(
        "select * from holdfast.set_flag($1, $2, $3, $4, 'load', 'Ada')", name, value, queue, group
    )
    return [(row["setting"], json.loads(row["before"]), json.loads(row["after"])) for row in rows]


async def trail(conn: Connection) -> list[tuple[Any, ...]]:
    rows = await conn.fetch("select cause, queue, actor, reason, detail from holdfast.events order by id")
    return [(*tuple(row)[:4], json.loads(row["detail"])) for row in rows]


async def listed(conn: Connection, name: str) -> list[tuple[Any, ...]]:
    rows = await conn.fetch(
        'select queue, "group", value, is_set, actor, reason from holdfast.flag_view where name = $1'
        ' order by queue nulls first, "group" nulls first',
        name,
    )
    return [tuple(row) for row in rows]


async def test_each_flag_names_its_default_and_what_else_it_can_be_set_for(conn: Connection) -> None:
    await set_flag(conn, "rescue", "off")
    rows = await conn.fetch(
        "select name, value, default_value, set_for from holdfast.flag_view order by name"
    )
    assert [tuple(row) for row in rows] == [
        ("claim_size", "auto", "auto", "worker group"),
        ("detail", "basic", "basic", "queue"),
        ("rescue", "off", "on", "queue"),
        ("slots", "50", "50", "worker group"),
    ]


async def details(conn: Connection) -> dict[str, tuple[str, bool]]:
    """The detail that holds for each queue, and whether its trail counts as full."""
    rows = await conn.fetch("select name, detail, full_since is not null as is_full from holdfast.queues")
    return {row["name"]: (row["detail"], row["is_full"]) for row in rows}


@pytest.mark.parametrize(
    ("name", "value", "scope", "about"),
    [
        ("rescue", "off", {}, {"flag": "rescue"}),
        ("rescue", "off", {"queue": "mail"}, {"queue": "mail"}),
        ("detail", "full", {}, {"flag": "detail"}),
        ("detail", "full", {"queue": "mail"}, {"queue": "mail"}),
        ("slots", "20", {"group": "gpu"}, {"group": "gpu"}),
        ("claim_size", "auto", {}, {"flag": "claim_size"}),
    ],
)
async def test_each_change_is_one_event_and_the_same_again_is_none(
    conn: Connection, name: str, value: str, scope: dict[str, str], about: dict[str, str]
) -> None:
    await a_queue(conn, "mail")
    assert await set_flag(conn, name, value, **scope) == [(name, None, value)]
    assert await set_flag(conn, name, value, **scope) == []
    assert await set_flag(conn, name, None, **scope) == [(name, value, None)]
    assert await set_flag(conn, name, None, **scope) == []
    assert await trail(conn) == [
        (
            "set_flag",
            scope.get("queue"),
            "Ada",
            "load",
            {**about, "before": {name: before}, "after": {name: after}},
        )
        for before, after in ((None, value), (value, None))
    ]


async def test_the_list_shows_defaults_and_what_is_set_for_one(conn: Connection) -> None:
    assert [(await listed(conn, name))[0][2:4] for name in ("rescue", "detail", "slots", "claim_size")] == [
        ("on", False),
        ("basic", False),
        ("50", False),
        ("auto", False),
    ]
    await set_flag(conn, "slots", "8")
    await set_flag(conn, "slots", "2", group="gpu")
    await a_queue(conn, "mail")
    await set_flag(conn, "rescue", "off", queue="mail")
    await a_queue(conn, "chat", detail="off")
    assert await listed(conn, "slots") == [
        (None, None, "8", True, "Ada", "load"),
        (None, "gpu", "2", True, "Ada", "load"),
    ]
    assert (await listed(conn, "rescue"))[1] == ("mail", None, "off", True, "Ada", "load")
    assert (await listed(conn, "detail"))[1] == ("chat", None, "off", True, None, None)
    await set_flag(conn, "slots", None, group="gpu")
    assert len(await listed(conn, "slots")) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'colour', 'red'", "There is no flag colour."),
        ("null, 'on'", "There is no flag null."),
        ("'rescue', 'maybe'", "The flag rescue must be on or off (got maybe)."),
        ("'detail', 'basic '", "The flag detail must be off, basic or full (got basic )."),
        ("'slots', '0'", "The flag slots must be an integer from 1 to 10000 (got 0)."),
        ("'slots', 'auto'", "The flag slots must be an integer from 1 to 10000 (got auto)."),
        (
            "'claim_size', '10001'",
            "The flag claim_size must be auto or an integer from 1 to 10000 (got 10001).",
        ),
        (
            "'rescue', 'on', of_group => 'gpu'",
            "The flag rescue can be set only for all queues or for one queue.",
        ),
        (
            "'slots', '1', of_queue => 'mail'",
            "The flag slots can be set only for all worker groups or for one worker group.",
        ),
    ],
)
async def test_what_does_not_exist_or_does_not_fit_is_refused_with_the_list(
    conn: Connection, call: str, message: str
) -> None:
    refused = await refusal(conn, f"select holdfast.set_flag({call})")
    assert (refused.sqlstate, str(refused)) == ("HF002", f"{message}\nHINT:  {LISTED}")
    assert await trail(conn) == []


async def test_the_name_of_a_queue_must_fit(conn: Connection) -> None:
    for name in ("", "x" * 201):
        refused = await refusal(conn, "select holdfast.set_flag('rescue', 'off', $1)", name)
        assert str(refused).startswith("The name of the queue must have 1 to 200 characters.")


@pytest.mark.parametrize("flag", [("rescue", "off"), ("detail", "full")])
async def test_a_queue_that_does_not_exist_is_refused_with_the_list(
    conn: Connection, flag: tuple[str, str]
) -> None:
    statement = "select holdfast.set_flag($1, $2, 'mial')"
    refused = await refusal(conn, statement, *flag)
    assert refused.sqlstate == "HF004"
    assert str(refused) == "There is no queue mial.\nHINT:  There is no queue yet; set_queue makes one."
    for name in ("mail", "chat"):
        await a_queue(conn, name)
    assert str(await refusal(conn, statement, *flag)).endswith("HINT:  The queues are chat, mail.")
    for n in range(20):
        await a_queue(conn, f"b{n:02}")
    listed = str(await refusal(conn, statement, *flag))
    assert listed.endswith("b18, b19, and others that the view holdfast.queue_view lists.")
    assert "mial" not in await details(conn)
    assert await trail(conn) == []


async def test_a_flag_of_a_queue_that_is_gone_can_be_removed(conn: Connection) -> None:
    await a_queue(conn, "mail")
    await set_flag(conn, "rescue", "off", queue="mail")
    await conn.execute("delete from holdfast.lanes where queue = 'mail'")
    await conn.execute("delete from holdfast.queues where name = 'mail'")
    assert await set_flag(conn, "rescue", None, queue="mail") == [("rescue", "off", None)]


async def test_queues_without_a_detail_of_their_own_follow_the_flag(conn: Connection) -> None:
    await a_queue(conn, "follows")
    await a_queue(conn, "own", detail="basic")
    await set_flag(conn, "detail", "full")
    await ready_job(conn, queue="new")
    assert await details(conn) == {
        "follows": ("full", True), "own": ("basic", False), "new": ("full", True),
    }  # fmt: skip
    await completed_job(conn, queue="new")
    causes = await conn.fetch("select cause from holdfast.events where queue = 'new' order by id")
    assert [row["cause"] for row in causes] == ["enqueue", "enqueue", "claim", "end"]
    await set_flag(conn, "detail", None)
    assert set((await details(conn)).values()) == {("basic", False)}


async def test_the_detail_of_a_queue_is_one_truth_whichever_verb_sets_it(conn: Connection) -> None:
    await a_queue(conn, "mail")
    await set_flag(conn, "detail", "full")
    await set_flag(conn, "detail", "off", queue="mail")
    changed = await conn.fetch("""select * from holdfast.set_queue('mail', '{"detail": "basic"}')""")
    assert [tuple(row) for row in changed] == [("detail", '"off"', '"basic"')]
    assert await listed(conn, "detail") == [
        (None, None, "full", True, "Ada", "load"),
        ("mail", None, "basic", True, None, None),
    ]
    await conn.execute("""select holdfast.set_queue('mail', '{"detail": null}')""")
    assert await details(conn) == {"mail": ("full", True)}
    assert len(await listed(conn, "detail")) == 1


async def test_a_queue_that_is_created_while_the_flag_changes_follows_it(database_url: str) -> None:
    conn, other = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    producing = conn.transaction()
    await producing.start()
    await ready_job(conn, queue="new")
    setting = asyncio.create_task(other.execute("select holdfast.set_flag('detail', 'full')"))
    await is_waiting(database_url, other, setting)
    await producing.commit()
    await setting
    assert await details(conn) == {"new": ("full", True)}
    await conn.close()
    await other.close()
