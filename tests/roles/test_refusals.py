"""Who is refused a verb is told which role may call it."""

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import jobs, queues
from holdfast.db.connect import Connection, Database
from holdfast.db.needed_role import role_hint
from holdfast.model.error import PermissionDenied
from holdfast.model.payload import encode
from tests.migration.test_owner import plain_user, url_for

GRANTED = """
select p.proname as name, array_agg(distinct a.grantee::regrole::text) as roles
from pg_proc as p
cross join lateral aclexplode(p.proacl) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
  and p.proname not in ('now', 'created_at')
group by p.proname
"""


async def test_each_verbs_refusal_names_the_roles_that_may_call_it(conn: Connection) -> None:
    verbs = await conn.fetch(GRANTED)
    assert len(verbs) > 60
    for verb in verbs:
        hint = role_hint(f"permission denied for function {verb['name']}") or ""
        assert {word.strip(",:") for word in hint.split() if word.startswith("holdfast_")} == {
            *verb["roles"]
        }, verb


async def test_a_worker_who_pauses_a_queue_is_told_of_the_operator(conn: Connection) -> None:
    await conn.execute("set local role holdfast_worker")
    with pytest.raises(PermissionDenied) as caught:
        await queues.pause_queue(conn, "default", None, "Ada")
    assert caught.value.hint == "pause_queue needs the role holdfast_operator: grant it to the user"


async def test_a_producer_who_reads_a_view_is_told_of_the_viewer(conn: Connection) -> None:
    await conn.execute("set local role holdfast_producer")
    with pytest.raises(PermissionDenied) as caught:
        await jobs.list_attempts(conn, (await jobs.enqueue_jobs(conn, ["t"], [encode(1)]))[0].id)
    assert "holdfast_viewer" in (caught.value.hint or "")


async def test_a_user_without_any_role_is_told_which_one(
    migrated: "asyncpg.Connection[Record]", database_url: str
) -> None:
    async with plain_user(migrated) as name, Database(url_for(name, database_url)) as stranger:
        with pytest.raises(PermissionDenied) as caught:
            await queues.pause_queue(stranger, "default", None, "Ada")
        assert "pause_queue needs the role holdfast_operator" in (caught.value.hint or "")
