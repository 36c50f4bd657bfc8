"""enqueue_with_key: the check of an access key and the enqueue in one statement."""

import json
from typing import Any
from uuid import UUID, uuid4

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import refusal, the_job
from tests.sql.access_keys import a_key, digest
from tests.sql.rules.scene import a_rule

ENQUEUE = "select job_id, created from holdfast.enqueue_with_key($1, $2, $3, $4::text[]::json[], $5, $6)"
INVALID, DENIED = "HF007", "HF008"


def wanted(
    key: UUID,
    *payloads: int,
    task: str = "send",
    secret: str = "one",
    each: list[dict[str, Any]] | None = None,
    **options: Any,
) -> tuple[Any, ...]:
    own = None if each is None else [json.dumps(one) for one in each]
    return digest(secret), key, [task], [str(one) for one in payloads], json.dumps(options), own


async def enqueue(conn: Connection, *args: Any, **more: Any) -> list[Record]:
    return await conn.fetch(ENQUEUE, *wanted(*args, **more))


async def refused(conn: Connection, *args: Any, **more: Any) -> str | None:
    return (await refusal(conn, ENQUEUE, *wanted(*args, **more))).sqlstate


async def count(conn: Connection) -> int:
    return int(await conn.fetchval("select count(*) from holdfast.jobs"))


async def test_jobs_are_stored_in_their_order(conn: Connection) -> None:
    for scope in (None, ["mail", "sms"]):
        key = await a_key(conn, secret=str(scope), name=str(scope), queues=scope)
        each = [{"queue": "mail"}, {"queue": "sms", "priority": 7}]
        rows = await enqueue(conn, key, 1, 2, secret=str(scope), each=each)
        jobs = [await the_job(conn, row["job_id"]) for row in rows]
        assert [(job["payload"], job["queue"]) for job in jobs] == [("1", "mail"), ("2", "sms")]
        assert [row["created"] for row in rows] == [True, True]


async def test_a_key_that_is_not_valid_now_stores_nothing(conn: Connection) -> None:
    key = await a_key(conn)
    assert len(await enqueue(conn, key, 1)) == 1
    assert await refused(conn, key, 1, secret="other") == INVALID
    assert await refused(conn, uuid4(), 1) == INVALID  # the options were made for another key
    await conn.execute("select holdfast.revoke_access_key('ci', 'lost', 'Ada')")
    assert await refused(conn, key, 1) == INVALID
    assert await count(conn) == 1


async def test_a_role_that_may_not_enqueue_stores_nothing(conn: Connection) -> None:
    assert await refused(conn, await a_key(conn, "viewer"), 1) == DENIED
    assert await count(conn) == 0


async def test_a_name_outside_of_the_scope_is_refused_before_the_jobs_are_looked_at(conn: Connection) -> None:
    key = await a_key(conn, queues=["mail"], tasks=["send"])
    await conn.execute("select holdfast.set_queue('other', '{\"payload_limit\": 1}', 'small', 'Ada')")
    assert await refused(conn, key, 100, queue="other") == DENIED
    assert await refused(conn, key, 1, task="other", queue="mail") == DENIED
    assert await refused(conn, key, 1, 2, each=[{"queue": "mail"}, {"queue": "other"}]) == DENIED
    assert await refused(conn, key, 1, 2, each=[{"queue": "mail"}, {}], queue="other") == DENIED
    assert await count(conn) == 0


async def test_a_queue_that_the_database_chose_outside_of_the_scope_undoes_the_enqueue(
    conn: Connection,
) -> None:
    key = await a_key(conn, queues=["mail"])
    assert await refused(conn, key, 1) == DENIED  # the queue `default`
    await conn.execute("select holdfast.declare_task('send', '{\"queue\": \"mail\"}')")
    assert len(await enqueue(conn, key, 1)) == await count(conn) == 1


async def test_a_rule_may_route_a_job_out_of_the_scope_of_its_caller(conn: Connection) -> None:
    key = await a_key(conn, queues=["mail"])
    await conn.execute("select holdfast.declare_task('send', '{\"queue\": \"mail\"}')")
    await a_rule(conn, "large", "task send", condition="$.payload > 5", queue="bulk")
    rows = await enqueue(conn, key, 1, 9)
    assert [(await the_job(conn, row["job_id"]))["queue"] for row in rows] == ["mail", "bulk"]
    assert await refused(conn, key, 9, queue="bulk") == DENIED
    assert await refused(conn, key, 9, 1, each=[{}, {"queue": "bulk"}]) == DENIED
    narrow = await a_key(conn, secret="two", name="narrow", queues=["mail"], tasks=["other"])
    assert await refused(conn, narrow, 9, secret="two") == DENIED
    assert await count(conn) == 2


async def test_a_task_whose_queue_is_outside_of_the_scope_is_no_way_to_the_queues_of_its_rules(
    conn: Connection,
) -> None:
    key = await a_key(conn, queues=["mail"])
    await a_rule(conn, "all", "task send", condition="exists ($)", queue="bulk")
    for queue in ("default", "sms"):
        assert await refused(conn, key, 9) == DENIED, queue
        await conn.execute("select holdfast.declare_task('send', '{\"queue\": \"sms\"}')")
    assert await count(conn) == 0


async def test_a_unique_key_returns_its_job_wherever_it_is_now(conn: Connection) -> None:
    key = await a_key(conn, queues=["mail"])
    (first,) = await enqueue(conn, key, 1, queue="mail", unique_key="k")
    await conn.execute("select holdfast.declare_queue('sms')")
    await conn.execute("select holdfast.move_jobs('mail', 'sms', 10, 'busy', 'Ada')")
    (again,) = await enqueue(conn, key, 1, queue="mail", unique_key="k")
    assert (again["job_id"], again["created"]) == (first["job_id"], False)
