"""set_queue, set_task and set_endpoint: one event per change, with the values before and after."""

import json
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal

Changes = dict[str, tuple[Any, Any]]

SETTABLE: list[tuple[str, dict[str, Any], Changes]] = [
    (
        "queue",
        {"timeout": "2 minutes", "max_concurrent": 4, "max_losses": 3},
        {"timeout": (None, 120), "max_concurrent": (None, 4)},
    ),
    ("task", {"priority": 70, "rate": "100/minute"}, {"priority": (None, 70), "rate": (None, "100/minute")}),
    ("endpoint", {"max": 16, "price": 0}, {"max": (64, 16)}),
]
DECLARED: list[tuple[str, str]] = [
    ("queue", '{"priority": 70, "retry": "chat", "max_concurrent": 2}'),
    ("task", '{"queue": "default", "timeout": 5, "rate": "10/second"}'),
    ("endpoint", '{"preset": "prod", "requests_per_minute": 60, "fallback": "other"}'),
]


async def set_settings(
    conn: Connection, kind: str, settings: dict[str, Any], reason: str = "load"
) -> Changes:
    rows = await conn.fetch(
        f"select * from holdfast.set_{kind}('x', $1, $2, 'Ada')", json.dumps(settings), reason
    )
    return {row["setting"]: (json.loads(row["before"]), json.loads(row["after"])) for row in rows}


async def trail(conn: Connection) -> list[tuple[Any, ...]]:
    rows = await conn.fetch("select cause, actor, reason, login, detail from holdfast.events order by id")
    return [(*tuple(row)[:4], json.loads(row["detail"])) for row in rows]


@pytest.mark.parametrize(("kind", "settings", "changes"), SETTABLE)
async def test_a_change_returns_and_records_only_what_changed(
    conn: Connection, kind: str, settings: dict[str, Any], changes: Changes
) -> None:
    assert await set_settings(conn, kind, settings) == changes
    ((cause, actor, reason, login, detail),) = await trail(conn)
    assert (cause, actor, reason) == (f"set_{kind}", "Ada", "load")
    assert login == await conn.fetchval("select session_user")
    assert detail == {
        kind: "x",
        "before": {key: before for key, (before, _) in changes.items()},
        "after": {key: after for key, (_, after) in changes.items()},
    }


@pytest.mark.parametrize(("kind", "settings", "changes"), SETTABLE)
async def test_setting_the_same_again_writes_no_event(
    conn: Connection, kind: str, settings: dict[str, Any], changes: Changes
) -> None:
    await set_settings(conn, kind, settings)
    assert await set_settings(conn, kind, settings, "again") == {}
    assert len(await trail(conn)) == 1


@pytest.mark.parametrize(("kind", "settings"), DECLARED)
async def test_a_declaration_writes_an_event_only_if_something_changed(
    conn: Connection, kind: str, settings: str
) -> None:
    for _ in range(3):
        await conn.execute(f"select holdfast.declare_{kind}('x', $1)", settings)
    ((cause, actor, _, login, detail),) = await trail(conn)
    assert (cause, actor, detail[kind]) == (f"declare_{kind}", None, "x")
    assert login is not None
    assert detail["before"].keys() == detail["after"].keys()


async def test_a_new_version_of_a_pipeline_is_an_event(conn: Connection) -> None:
    for task in ("a", "a", "b"):
        definition = json.dumps({"stages": [{"name": "s", "task": task}]})
        await conn.execute("select holdfast.declare_pipeline('p', $1)", definition)
    first, second = await trail(conn)
    assert (first[0], first[4]["pipeline"], first[4]["before"]["version"]) == ("declare_pipeline", "p", None)
    assert second[4]["before"] == first[4]["after"]
    assert second[4]["after"] == {"version": 2, "definition": {"stages": [{"name": "s", "task": "b"}]}}


async def test_the_role_that_a_login_has_set_is_recorded(conn: Connection) -> None:
    await conn.execute("set local role holdfast_operator")
    await conn.execute("""select holdfast.set_queue('x', '{"priority": 1}')""")
    await conn.execute("reset role")
    ((*_, login, _),) = await trail(conn)
    assert login == await conn.fetchval("select session_user || '/holdfast_operator'")


@pytest.mark.parametrize("kind", ["queue", "task", "endpoint"])
async def test_a_refused_change_leaves_no_event(conn: Connection, kind: str) -> None:
    refused = await refusal(conn, f"""select holdfast.set_{kind}('x', '{{"colour": 1}}')""")
    assert refused.sqlstate == "HF002"
    assert await trail(conn) == []
