"""Verbs run with their owner's rights and their own search path, whatever a caller puts in its own."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    an_open_run,
    cancel,
    claim_one,
    complete,
    fail,
    ready_job,
    replay,
    rescue,
)

VERBS = """
select p.proname as name, p.prosecdef as is_definer, p.proconfig as settings,
  p.proowner::regrole::text as owner
from pg_proc as p
where p.pronamespace = 'holdfast'::regnamespace
  and exists (select from aclexplode(p.proacl) as a where a.grantee <> p.proowner and a.grantee <> 0)
  and p.proname not in ('now', 'created_at')
"""

# Tables, functions and operators named as what verbs use, in the caller's own schema and as temporary ones.
HOSTILE = """
create schema hostile;
create table hostile.stolen (what text);
create table hostile.jobs (id uuid, token uuid, state text);
create table hostile.queues (name text);
create table hostile.unique_keys (scope text, key text);
create function hostile.steal(what text) returns void language sql as $$
  insert into hostile.stolen values (what) $$;
create function hostile.now() returns timestamptz language plpgsql as $$
  begin perform hostile.steal('now'); return '-infinity'; end $$;
create function hostile.gen_random_uuid() returns uuid language plpgsql as $$
  begin perform hostile.steal('uuid'); return '00000000-0000-0000-0000-000000000000'; end $$;
create function hostile.random() returns double precision language plpgsql as $$
  begin perform hostile.steal('random'); return 2; end $$;
create function hostile.same(uuid, uuid) returns boolean language plpgsql as $$
  begin perform hostile.steal('='); return true; end $$;
create operator hostile.= (leftarg = uuid, rightarg = uuid, function = hostile.same);
create temporary table jobs (id uuid, token uuid, state text, worker_id uuid);
create temporary table queues (name text);
create temporary table history (id uuid);
create temporary table workers (id uuid);
create temporary table runs (id uuid);
create temporary table order_keys (key text);
create temporary table unique_keys (scope text, key text);
grant all on schema hostile to public;
grant all on all tables in schema hostile to public;
grant execute on all functions in schema hostile to public;
"""


async def test_every_verb_has_its_owners_rights_and_a_fixed_search_path(conn: Connection) -> None:
    verbs = await conn.fetch(VERBS)
    assert len(verbs) > 35
    for verb in verbs:
        assert verb["is_definer"], verb["name"]
        assert "search_path=holdfast, pg_temp" in verb["settings"], verb["name"]
        assert verb["owner"] == "holdfast_owner"


async def a_life(conn: Connection) -> tuple[list[str | None], str, int]:
    """Keys, a run, a failure, a loss, a cancel and a replay: the states, the run's state, and its total."""
    run = await an_open_run(conn, on_complete={"task": "after", "queue": "after"})
    jobs: list[UUID] = [await ready_job(conn, run=run, order_key="o", unique_key=str(n)) for n in range(3)]
    assert await ready_job(conn, unique_key="0") == jobs[0]
    worker, vanished = await a_worker(conn), await a_worker(conn)
    await complete(conn, await claim_one(conn, worker), {"a": 1})
    await fail(conn, await claim_one(conn, worker), "permanent")
    await claim_one(conn, vanished)
    await conn.execute("reset role")
    await conn.execute("update holdfast.workers set lease_until = holdfast.now() - interval '1 second'")
    await rescue(conn)
    await cancel(conn, jobs[2])
    await conn.execute("select holdfast.seal_run($1)", run)
    await conn.execute("select holdfast.close_runs()")
    await replay(conn, jobs[1])
    # No operator here: the caller's own query would obey the caller's own path.
    states = [await conn.fetchval("select state from holdfast.get_job($1)", job) for job in jobs]
    row = await conn.fetchrow("select state, total from holdfast.run_progress($1)", run)
    assert row is not None
    return states, row["state"], row["total"]


async def test_a_hostile_search_path_and_shadowing_tables_change_nothing(conn: Connection) -> None:
    expected = (["completed", "ready", "cancelled"], "ended", 3)
    savepoint = conn.transaction()
    await savepoint.start()
    assert await a_life(conn) == expected
    await savepoint.rollback()
    await conn.execute(HOSTILE)
    await conn.execute("set local search_path = hostile, pg_temp, pg_catalog, holdfast")
    await conn.execute("set local role holdfast_worker")
    assert await a_life(conn) == expected
    await conn.execute("set local search_path = pg_catalog")
    assert await conn.fetchval("select count(*) from hostile.stolen") == 0
    assert await conn.fetchval("select count(*) from pg_temp.jobs") == 0


async def test_the_settings_of_a_session_do_not_change_what_is_stored(conn: Connection) -> None:
    """Date, interval and float formats, quoting and time zone are the caller's own business."""
    options = {"delay": "1 day 02:03:04", "deadline": "2031-02-03T04:05:06+00:00", "timeout": 1.5}
    columns = "select timeout, deadline, retry::text from holdfast.jobs where id = $1"
    plain = await conn.fetchrow(columns, await ready_job(conn, retry=[0.1], **options))
    for setting in (
        "datestyle = 'German, DMY'", "intervalstyle = 'sql_standard'", "timezone = 'Asia/Kathmandu'",
        "extra_float_digits = -5", "bytea_output = 'escape'", "backslash_quote = off",
    ):  # fmt: skip
        await conn.execute(f"set local {setting}")
    odd = await conn.fetchrow(columns, await ready_job(conn, retry=[0.1], **options))
    assert odd is not None
    assert odd == plain


async def test_a_verb_leaves_the_callers_settings_as_they_were(conn: Connection) -> None:
    names = ["search_path", "enable_seqscan", "enable_sort", "plan_cache_mode", "lock_timeout", "timezone"]
    await conn.execute("set local search_path = pg_catalog")
    before = [await conn.fetchval("select current_setting($1)", name) for name in names]
    await a_life(conn)
    await conn.execute("select holdfast.make_partitions()")
    await conn.execute("select * from holdfast.prune_jobs()")
    assert [await conn.fetchval("select current_setting($1)", name) for name in names] == before
