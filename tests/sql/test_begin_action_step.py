"""begin_action_step: the right of the access key is looked up at the moment of each step."""

from datetime import timedelta
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_job, refusal
from tests.sql.actions import asked_action, claimed_action
from tests.sql.conftest import Clock

BEGIN = "select * from holdfast.begin_action_step($1, $2, $3)"


async def test_the_permission_names_the_key_and_when_it_asked(conn: Connection) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    step = await conn.fetchrow(BEGIN, job.id, job.token, None)
    assert step is not None
    assert (step["actor"], step["is_cancelled"], step["allowed"]) == ("ops", False, None)
    assert step["asked_at"] == await conn.fetchval("select holdfast.created_at($1)", job.id)


async def test_an_outdated_token_gets_no_permission(conn: Connection) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    assert (await refusal(conn, BEGIN, job.id, uuid4(), None)).sqlstate == "HF006"


async def test_a_job_of_another_queue_is_no_action(conn: Connection) -> None:
    await asked_action(conn)
    other = await completed_job(conn)
    assert (await refusal(conn, BEGIN, other.id, other.token, None)).sqlstate == "HF006"


async def test_a_key_that_was_revoked_meanwhile_stops_the_action(conn: Connection) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    await conn.execute("select holdfast.revoke_access_key('ops')")
    assert (await refusal(conn, BEGIN, job.id, job.token, None)).sqlstate == "HF007"


async def test_a_key_that_expired_meanwhile_stops_the_action(conn: Connection, clock: Clock) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    await conn.execute("update holdfast.access_keys set expires_at = holdfast.now() + interval '1 hour'")
    await clock.advance(timedelta(hours=2))
    assert (await refusal(conn, BEGIN, job.id, job.token, None)).sqlstate == "HF007"


async def test_a_role_or_scope_that_changed_meanwhile_stops_the_action(conn: Connection) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    for change in ("role = 'viewer'", "role = 'operator', queues = '{other}', scope = 's'"):
        await conn.execute(f"update holdfast.access_keys set {change}")
        assert (await refusal(conn, BEGIN, job.id, job.token, None)).sqlstate == "HF008"


async def test_jobs_that_left_the_scope_are_not_allowed(conn: Connection) -> None:
    await asked_action(conn, queues=["mail"])
    mine, other = await ready_job(conn, queue="mail"), await ready_job(conn, queue="other")
    ended = (await completed_job(conn, queue="mail2")).id
    job = await claimed_action(conn)
    step = await conn.fetchrow(BEGIN, job.id, job.token, [mine, other, ended, uuid4()])
    assert step is not None
    assert step["allowed"] == [mine]


async def test_a_cancel_request_is_seen_at_the_next_step(conn: Connection) -> None:
    await asked_action(conn)
    job = await claimed_action(conn)
    await conn.execute("select holdfast.cancel_jobs($1)", [job.id])
    step = await conn.fetchrow(BEGIN, job.id, job.token, None)
    assert step is not None
    assert step["is_cancelled"]
