import json
from datetime import timedelta
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.access_keys import a_key, digest, trail

CREATE = "select holdfast.create_access_key($1, $2, $3, $4, $5, $6)"
GOOD: dict[str, Any] = {
    "name": "ci", "role": "viewer", "hash": digest("x"), "queues": None, "tasks": None, "expires_in": None,
}  # fmt: skip


async def test_a_key_is_listed_without_its_secret_and_recorded_without_its_hash(conn: Connection) -> None:
    made = await a_key(conn, "producer", queues=["mail"], expires_in=timedelta(days=90))
    (row,) = await conn.fetch("select * from holdfast.access_key_view")
    assert (row["id"], row["name"], row["role"], row["queues"], row["tasks"], row["state"]) == (
        made, "ci", "producer", ["mail"], None, "valid",
    )  # fmt: skip
    assert (row["secrets"], row["last_used_at"]) == (1, None)
    assert row["expires_at"] - row["created_at"] == timedelta(days=90)
    assert digest("one").hex() not in str(dict(row))
    assert await trail(conn) == [("create_access_key", "Ada", "why")]
    detail = json.loads(await conn.fetchval("select detail from holdfast.events"))
    assert detail["access_key"] == "ci"
    assert detail["after"]["queues"] == ["mail"]
    assert digest("one").hex() not in json.dumps(detail)


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("name", ""), ("name", "x" * 201), ("name", None), ("role", "root"), ("role", None),
        ("hash", b"short"), ("hash", None), ("queues", []), ("queues", [""]), ("queues", [None]),
        ("queues", ["x"] * 101), ("tasks", []), ("tasks", ["x" * 201]), ("expires_in", timedelta(0)),
    ],
)  # fmt: skip
async def test_a_key_that_makes_no_sense_is_refused(conn: Connection, what: str, value: Any) -> None:
    given = {**GOOD, what: value}
    assert (await refusal(conn, CREATE, *given.values())).sqlstate == "HF002"


async def test_a_name_or_a_secret_that_is_in_use_is_refused(conn: Connection) -> None:
    await a_key(conn)
    assert (await refusal(conn, CREATE, *GOOD.values())).sqlstate == "HF005"
    again = {**GOOD, "name": "other", "hash": digest("one")}
    assert (await refusal(conn, CREATE, *again.values())).sqlstate == "HF005"


async def test_the_name_of_a_revoked_key_can_be_used_again(conn: Connection) -> None:
    first = await a_key(conn)
    await conn.execute("select holdfast.revoke_access_key('ci')")
    assert await a_key(conn, secret="two") != first
