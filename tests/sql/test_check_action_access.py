"""check_action_access: who may read or cancel an action."""

from uuid import UUID, uuid4

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import ready_job
from tests.sql.access_keys import a_key, digest
from tests.sql.actions import asked_action

CHECK = "select name from holdfast.check_action_access($1, $2, $3)"


async def answered(conn: Connection, secret: str, job: UUID, action: str) -> str:
    """The name of the key, or the SQLSTATE."""
    trial = conn.transaction()
    await trial.start()
    try:
        return str(await conn.fetchval(CHECK, digest(secret), job, action))
    except asyncpg.PostgresError as exc:
        return exc.sqlstate or ""
    finally:
        await trial.rollback()


@pytest.mark.parametrize(
    ("role", "reads", "cancels"),
    [
        ("viewer", "other", "HF008"),
        ("producer", "HF008", "HF008"),
        ("worker", "HF008", "HF008"),
        ("operator", "other", "other"),
        ("admin", "other", "other"),
    ],
)
async def test_each_role_reads_and_cancels_as_it_may(
    conn: Connection, role: str, reads: str, cancels: str
) -> None:
    job = await asked_action(conn)
    await a_key(conn, role, "other", "other")
    assert await answered(conn, "other", job, "read_job") == reads
    assert await answered(conn, "other", job, "operate") == cancels


async def test_a_key_with_a_scope_sees_only_its_own_actions(conn: Connection) -> None:
    mine = await asked_action(conn, queues=["mail"])
    await a_key(conn, "operator", "other", "other", queues=["mail"])
    assert await answered(conn, "ops", mine, "operate") == "ops"
    assert await answered(conn, "other", mine, "read_job") == "HF004"


async def test_what_is_no_action_does_not_exist(conn: Connection) -> None:
    await asked_action(conn)
    for job in (uuid4(), await ready_job(conn)):
        assert await answered(conn, "ops", job, "read_job") == "HF004"
