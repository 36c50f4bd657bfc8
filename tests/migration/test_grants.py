import re
from datetime import timedelta

import asyncpg
import pytest
from asyncpg import Record

from holdfast.db import dead, jobs, operator, queues, stats, worker_list
from holdfast.db.sql_files import SQL
from holdfast.model.dead_letter import Triage
from holdfast.model.error import PermissionDenied
from holdfast.model.payload import encode

PUBLIC_RIGHTS = """
select p.oid::regprocedure::text
from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee = 0
union all
select c.relname
from pg_class c, aclexplode(c.relacl) as a
where c.relnamespace = 'holdfast'::regnamespace
  and a.grantee = 0
"""

TABLE_RIGHTS = """
select format('%s may %s %s', a.grantee::regrole, a.privilege_type, c.relname)
from pg_class c, aclexplode(c.relacl) as a
where c.relnamespace = 'holdfast'::regnamespace
  and c.relkind in ('r', 'p', 'S')
  and c.relname not in ('migrations', 'function_set', 'installation')
  and a.grantee <> c.relowner
"""

OWNERS = """
select relowner::regrole::text from pg_class where relnamespace = 'holdfast'::regnamespace
union
select proowner::regrole::text from pg_proc where pronamespace = 'holdfast'::regnamespace
"""

# Invoker rights would need rights on tables, which nobody has; these two read none.
GRANTED_WITHOUT_DEFINER = """
select distinct p.oid::regprocedure::text
from pg_proc p, aclexplode(p.proacl) as a
where p.pronamespace = 'holdfast'::regnamespace
  and a.grantee <> p.proowner
  and not p.prosecdef
  and p.proname not in ('now', 'created_at')
"""

DEFINER_WITHOUT_SEARCH_PATH = """
select p.oid::regprocedure::text
from pg_proc p
where p.pronamespace = 'holdfast'::regnamespace
  and p.prosecdef
  and not exists (select from unnest(p.proconfig) as setting where setting like 'search_path=%')
"""


# A verb that no role may call is of no use: grant it, or take its definer's rights away.
DEFINER_THAT_NOBODY_MAY_CALL = """
select p.oid::regprocedure::text
from pg_proc p
where p.pronamespace = 'holdfast'::regnamespace
  and p.prosecdef
  and not exists (select from aclexplode(p.proacl) as a where a.grantee <> p.proowner)
"""


@pytest.mark.parametrize(
    "query", [PUBLIC_RIGHTS, TABLE_RIGHTS, GRANTED_WITHOUT_DEFINER, DEFINER_WITHOUT_SEARCH_PATH]
)
async def test_nobody_has_a_right_that_the_roles_do_not_need(
    conn: "asyncpg.Connection[Record]", query: str
) -> None:
    assert sorted(row[0] for row in await conn.fetch(query)) == []


async def test_everything_belongs_to_the_role_that_nobody_logs_in_as(
    conn: "asyncpg.Connection[Record]",
) -> None:
    assert {row[0] for row in await conn.fetch(OWNERS)} == {"holdfast_owner"}
    assert not await conn.fetchval("select rolcanlogin from pg_roles where rolname = 'holdfast_owner'")


async def test_every_function_that_is_granted_exists(conn: "asyncpg.Connection[Record]") -> None:
    lists = re.findall(r"\[([^\]]*)\]", (SQL / "grants.sql").read_text())
    granted = {name for one in lists for name in re.findall(r'["\'](\w+)["\']', one)}
    tables = {"migrations", "function_set", "installation", "lock_view"}
    known = {
        row[0]
        for row in await conn.fetch(
            "select proname from pg_proc where pronamespace = 'holdfast'::regnamespace"
        )
    }
    assert len(granted) > 20
    assert sorted(granted - tables - known) == []


async def test_each_role_may_do_its_work_and_no_more(conn: "asyncpg.Connection[Record]") -> None:
    await conn.execute("set local role holdfast_producer")
    await jobs.enqueue_jobs(conn, ["t"], [encode(1)])
    await conn.execute("set local role holdfast_operator")
    await queues.pause_queue(conn, "default", "tests", "me")
    await worker_list.list_workers(conn)
    await conn.execute("set local role holdfast_viewer")
    await jobs.list_jobs(conn)
    await queues.list_queues(conn, 100)
    with pytest.raises(PermissionDenied):
        await jobs.enqueue_jobs(conn, ["t"], [encode(1)])


async def test_every_verb_is_granted_to_somebody(conn: "asyncpg.Connection[Record]") -> None:
    assert sorted(row[0] for row in await conn.fetch(DEFINER_THAT_NOBODY_MAY_CALL)) == []
    await conn.execute(
        "create function holdfast.planted() returns int language sql security definer as 'select 1';"
        " revoke all on function holdfast.planted() from public"
    )
    assert [row[0] for row in await conn.fetch(DEFINER_THAT_NOBODY_MAY_CALL)] == ["holdfast.planted()"]


async def test_a_viewer_reads_and_an_operator_acts(conn: "asyncpg.Connection[Record]") -> None:
    (made,) = await jobs.enqueue_jobs(conn, ["t"], [encode(1)])
    await conn.execute("set local role holdfast_viewer")
    await stats.explain(conn, made.id)
    await stats.timeline(conn, made.id)
    await stats.end_stats(conn, timedelta(hours=1))
    await stats.error_groups(conn, timedelta(hours=1))
    await operator.find_jobs(conn, {})
    await dead.find_letters(conn, {})
    await dead.letter_groups(conn, {})
    await dead.get_sheet(conn, made.id)
    with pytest.raises(PermissionDenied):
        async with conn.transaction():
            await operator.fail_as_operator(conn, [made.id], "no", "me")
    await conn.execute("set local role holdfast_operator")
    await operator.set_priority(conn, [made.id], 1, "later", "me")
    await operator.fail_as_operator(conn, [made.id], "no", "me")
    await dead.note_letters(conn, [made.id], "seen", "me")
    await dead.triage_letters(conn, [made.id], Triage.INVESTIGATING, None, None, "me")
    await dead.replay_letters(conn, {}, None, 1, "again", "me")
