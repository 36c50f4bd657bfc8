"""check_access: which role may do what, and what a scope leaves."""

from datetime import timedelta
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from holdfast.model.access_key import AccessAction, AccessRole
from tests.builders import a_worker, an_open_run, completed_job, ready_job, refusal
from tests.sql.access_keys import a_key, check, digest
from tests.sql.conftest import Clock

INVALID, DENIED, ABSENT = "HF007", "HF008", "HF004"
# Written by hand: the roles that may, besides admin, and whether a key with a scope may.
RIGHTS: dict[str, tuple[set[str], bool]] = {
    "health": ({"viewer", "operator"}, False),
    "metrics": ({"viewer", "operator"}, False),
    "enqueue": ({"producer", "worker", "operator"}, True),
    "read_state": ({"viewer", "producer", "worker", "operator"}, True),
    "read_job": ({"viewer", "operator"}, True),
    "list_jobs": ({"viewer", "operator"}, False),
    "work": ({"worker"}, True),
    "signal": ({"producer", "worker", "operator"}, True),
    "operate": ({"operator"}, True),
    "bulk": ({"operator"}, False),
    "operate_queue": ({"operator"}, False),
    "operate_installation": ({"operator"}, False),
    "check_rollout": ({"viewer", "producer", "worker", "operator"}, True),
    "report_metric": ({"producer", "worker", "operator"}, False),
    "read_installation": ({"viewer", "operator"}, False),
    "manage_keys": (set(), False),
}


@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_each_role_may_do_its_own_actions_and_no_other(conn: Connection, role: str) -> None:
    await a_key(conn, role, "all", "all")
    await a_key(conn, role, "some", "some", queues=["mail"])
    assert set(RIGHTS) == set(AccessAction)
    for action, (roles, scoped) in RIGHTS.items():
        may = role in roles or role == "admin"
        assert await check(conn, action, "all") == (role if may else DENIED), action
        assert await check(conn, action, "some") == (role if may and scoped else DENIED), action


async def test_an_unknown_or_expired_secret_is_refused(conn: Connection, clock: Clock) -> None:
    await a_key(conn, expires_in=timedelta(days=1))
    assert await check(conn, secret="other") == INVALID
    assert await check(conn) == "producer"
    await clock.advance(timedelta(days=1))
    assert await check(conn) == INVALID
    assert await conn.fetchval("select state from holdfast.access_key_view") == "expired"


async def test_a_scope_leaves_only_its_queues_and_tasks(conn: Connection) -> None:
    await a_key(conn, queues=["mail", "sms"], tasks=["send"])
    assert await check(conn, queues=["mail", "sms"], tasks=["send"]) == "producer"
    assert await check(conn, queues=["mail", "other"]) == DENIED
    assert await check(conn, tasks=["other"]) == DENIED


async def test_a_job_outside_of_the_scope_does_not_exist_for_a_reader(conn: Connection) -> None:
    await a_key(conn, "viewer", queues=["mail"], tasks=["send"])
    mine = await ready_job(conn, queue="mail", task="send")
    ended = await completed_job(conn, queue="mail", task="send")
    assert await check(conn, "read_job", jobs=[mine, ended.id]) == "viewer"
    others = [
        await ready_job(conn, queue="mail", task="other"),
        await ready_job(conn, queue="x", task="send"),
        (await completed_job(conn, queue="y", task="send")).id,
    ]
    for other in [*others, uuid4()]:
        assert await check(conn, "read_job", jobs=[mine, other]) == ABSENT
    statement = "select holdfast.check_access($1, 'read_job', jobs => array[$2::uuid])"
    told = {
        str(await refusal(conn, statement, digest("one"), one)).replace(str(one), "ID")
        for one in (uuid4(), *others)
    }
    assert len(told) == 1


async def test_who_stores_a_job_outside_of_the_scope_is_told_so(conn: Connection) -> None:
    await a_key(conn, queues=["mail"])
    assert await check(conn, jobs=[await ready_job(conn, queue="mail")]) == "producer"
    assert await check(conn, jobs=[await ready_job(conn, queue="other")]) == DENIED


async def test_the_time_of_the_last_use_is_written_once_an_hour(conn: Connection, clock: Clock) -> None:
    await a_key(conn)
    await check(conn)
    first = await conn.fetchval("select last_used_at from holdfast.access_key_view")
    await clock.advance(timedelta(minutes=59))
    await check(conn)
    assert await conn.fetchval("select last_used_at from holdfast.access_key_view") == first
    await clock.advance(timedelta(minutes=2))
    await check(conn)
    assert await conn.fetchval("select last_used_at from holdfast.access_key_view") > first


async def test_a_list_must_name_what_the_key_is_limited_to(conn: Connection) -> None:
    await a_key(conn, "viewer", queues=["mail"], tasks=["send"])
    assert await check(conn, "list_jobs", queues=["mail"], tasks=["send"]) == "viewer"
    assert await check(conn, "list_jobs", queues=["mail"]) == DENIED
    assert await check(conn, "list_jobs", tasks=["send"]) == DENIED
    assert await check(conn, "list_jobs", queues=["other"], tasks=["send"]) == DENIED


async def test_an_action_that_does_not_exist_is_refused(conn: Connection) -> None:
    await a_key(conn, "admin")
    assert await check(conn, "everything") == "HF002"


async def test_a_run_outside_of_the_scope_does_not_exist(conn: Connection) -> None:
    for secret, queues in (("one", ["a", "b"]), ("same", ["b", "a", "b"]), ("other", ["a"]), ("all", None)):
        await a_key(conn, secret=secret, name=secret, queues=queues)
    runs = {
        secret: await an_open_run(conn, scope=scope) if scope else await an_open_run(conn)
        for secret, scope in [
            (row["name"], row["scope"])
            for row in await conn.fetch("select name, scope from holdfast.access_keys")
        ]
    }
    assert await check(conn, runs=[runs["one"], runs["same"]]) == "producer"
    for absent in (runs["other"], runs["all"], uuid4()):
        assert await check(conn, runs=[runs["one"], absent]) == ABSENT
    assert await check(conn, secret="all", runs=[*runs.values()]) == "producer"


async def test_only_the_key_that_registered_a_worker_speaks_for_it(conn: Connection) -> None:
    key = await a_key(conn, "worker")
    await a_key(conn, "admin", "other", "other")
    mine, own = await a_worker(conn, access_key=key), await a_worker(conn)
    assert await check(conn, "work", worker=mine) == "worker"
    assert await check(conn, "work", "other", worker=mine) == ABSENT
    for foreign in (own, uuid4()):
        assert await check(conn, "work", worker=foreign) == ABSENT
