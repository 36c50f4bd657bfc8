"""Every job and run records its login, its origin and a claimed actor, whatever way it came in."""

from typing import Any
from uuid import UUID

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    a_sealed_run,
    a_worker,
    an_open_run,
    claim,
    claim_one,
    complete,
    dead_job,
    ready_job,
    ready_jobs,
    refusal,
    replay,
    running_job,
    settle,
    the_job,
    the_run,
    to_json,
)
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

FACTS = ("origin", "login", "role", "claimed_actor")
GIVEN: dict[str, Any] = {"origin": "import", "actor": "Ada"}

# Each stores one job with the options that it gets as JSON.
WAYS_IN = {
    "enqueue": """
      select holdfast.enqueue('t', origin => $1::jsonb ->> 'origin', actor => $1::jsonb ->> 'actor')""",
    "enqueue_one": "select job_id from holdfast.enqueue_one('t', '1', $1::jsonb)",
    "enqueue_one with a key": """
      select job_id from holdfast.enqueue_one('t', '1', $1::jsonb || '{"unique_key": "k"}')""",
    "enqueue_jobs": """
      select job_id from holdfast.enqueue_jobs(array['t'], array['1', '2']::json[], $1::jsonb) limit 1""",
    "each": """
      select job_id from holdfast.enqueue_jobs(array['t'], array['1']::json[], each => array[$1::jsonb])""",
    "enqueue_columns": """
      select job_id from holdfast.enqueue_columns(array['t'], array['1']::json[],
        origin => array[$1::jsonb ->> 'origin'], actor => array[$1::jsonb ->> 'actor'])""",
}


def facts(row: Record) -> tuple[Any, ...]:
    return tuple(row[name] for name in FACTS)


async def stored_by(conn: Connection, way: str, **options: str) -> Record:
    return await the_job(conn, await conn.fetchval(WAYS_IN[way], to_json(options)))


@pytest.mark.parametrize("way", WAYS_IN)
async def test_every_way_in_records_login_origin_and_claim(conn: Connection, way: str) -> None:
    login = await conn.fetchval("select session_user")
    assert facts(await stored_by(conn, way, **GIVEN)) == ("import", login, None, "Ada")


@pytest.mark.parametrize("way", WAYS_IN)
async def test_a_job_without_options_is_automatic_and_has_its_login(conn: Connection, way: str) -> None:
    login = await conn.fetchval("select session_user")
    assert facts(await stored_by(conn, way)) == ("automatic", login, None, None)


@pytest.mark.parametrize("way", WAYS_IN)
async def test_the_role_that_a_session_has_set_is_recorded(conn: Connection, way: str) -> None:
    await conn.execute("set local role holdfast_producer")
    job = await conn.fetchval(WAYS_IN[way], "{}")
    await conn.execute("reset role")
    assert (await the_job(conn, job))["role"] == "holdfast_producer"


async def test_an_actor_who_claims_another_login_does_not_become_it(conn: Connection) -> None:
    await conn.execute("create role the_boss login")
    login = await conn.fetchval("select session_user")
    job = await the_job(conn, await ready_job(conn, actor="the_boss"))
    assert (job["login"], job["claimed_actor"]) == (login, "the_boss")


async def test_a_default_costs_no_bytes_in_the_row(conn: Connection) -> None:
    rows = await conn.fetch(
        "select origin, claimed_actor from holdfast.jobs where id = any ($1)",
        [await ready_job(conn), await ready_job(conn, origin="automatic"), *await ready_jobs(conn, 2)],
    )
    assert [tuple(row) for row in rows] == [(None, None)] * 4


async def test_a_login_is_recorded_once(conn: Connection) -> None:
    for _ in range(3):
        await ready_jobs(conn, 2)
        await ready_job(conn)
        await an_open_run(conn)
    assert await conn.fetchval("select count(*) from holdfast.logins") == 1


@pytest.mark.parametrize("way", WAYS_IN)
async def test_a_job_of_a_trigger_says_so(conn: Connection, way: str) -> None:
    statement = WAYS_IN[way].replace("$1::jsonb", "tg_argv[0]::jsonb").replace("select", "perform", 1)
    await conn.execute(
        f"""
        create table orders (id integer);
        create function on_order() returns trigger language plpgsql as $f$
          begin {statement}; return new; end $f$;
        create trigger plain before insert on orders for each row when (new.id = 1)
          execute function on_order('{{}}');
        create trigger told before insert on orders for each row when (new.id = 2)
          execute function on_order('{{"origin": "import"}}');
        insert into orders values (1);
        """
    )
    assert await conn.fetchval("select origin from holdfast.job_view order by id desc limit 1") == "trigger"
    await conn.execute("delete from holdfast.jobs; delete from holdfast.unique_keys")
    await conn.execute("insert into orders values (2)")
    assert await conn.fetchval("select origin from holdfast.job_view order by id desc limit 1") == "import"


@pytest.mark.parametrize("name", ["origin", "actor"])
@pytest.mark.parametrize("value", ["", "x" * 201])
@pytest.mark.parametrize("way", WAYS_IN)
async def test_an_empty_or_long_word_is_refused(conn: Connection, way: str, name: str, value: str) -> None:
    error = await refusal(conn, WAYS_IN[way], to_json({name: value}))
    assert (error.sqlstate, name in str(error)) == ("HF002", True)


async def test_a_word_of_200_letters_is_kept(conn: Connection) -> None:
    word = "ä" * 200
    assert (await the_job(conn, await ready_job(conn, actor=word, origin=word)))["origin"] == word
    assert (await stored_by(conn, "enqueue_columns", actor=word, origin=word))["claimed_actor"] == word


async def test_the_end_and_a_replay_keep_them(conn: Connection) -> None:
    job = await dead_job(conn, **GIVEN)
    before = facts(await the_job(conn, job.id))
    assert before[0] == "import"
    await conn.execute("set local role holdfast_operator")
    await replay(conn, job.id)
    await conn.execute("reset role")
    assert facts(await the_job(conn, job.id)) == before


async def test_a_replacement_is_manual_and_names_the_operator(conn: Connection) -> None:
    job = await dead_job(conn, **GIVEN)
    await conn.execute("set local role holdfast_operator")
    new = await conn.fetchval("select holdfast.replace_job($1, '2', 'typo', 'Grace')", job.id)
    await conn.execute("reset role")
    row = await the_job(conn, new)
    assert (row["origin"], row["claimed_actor"], row["role"]) == ("manual", "Grace", "holdfast_operator")


async def spawned(conn: Connection, parent: Any, options: dict[str, str]) -> tuple[Record, Record]:
    """The only child, and its run."""
    run = await conn.fetchval(
        "select run from holdfast.spawn_children($1, $2, 'kids', array['t'], array['1']::json[], $3)",
        parent.id,
        parent.token,
        to_json(options),
    )
    (child,) = await conn.fetch("select * from holdfast.job_view where run = $1", run)
    return child, await the_run(conn, run)


async def test_children_inherit_origin_and_claim_but_have_the_login_of_the_worker(conn: Connection) -> None:
    parent = await running_job(conn, **GIVEN)
    await conn.execute("set local role holdfast_worker")
    run = await conn.fetchval(
        "select run from holdfast.spawn_children($1, $2, 'kids', array['t'], array['1']::json[])",
        parent.id,
        parent.token,
    )
    await conn.execute("reset role")
    (child,) = await conn.fetch("select * from holdfast.job_view where run = $1", run)
    assert (child["origin"], child["claimed_actor"], child["role"]) == ("import", "Ada", "holdfast_worker")
    assert facts(await the_run(conn, run)) == facts(child)


async def test_a_child_may_have_an_origin_of_its_own(conn: Connection) -> None:
    child, _ = await spawned(conn, await running_job(conn, **GIVEN), {"origin": "scheduled", "actor": "Bob"})
    assert (child["origin"], child["claimed_actor"]) == ("scheduled", "Bob")


async def test_children_of_several_parents_inherit_each_from_its_own(conn: Connection) -> None:
    order = [await ready_job(conn, **GIVEN), await ready_job(conn)]
    claimed = await claim(conn, await a_worker(conn), 2)
    parents = sorted(claimed, key=lambda one: order.index(one.id))
    children: list[UUID] = [
        row["job_id"]
        for row in await conn.fetch(
            "select job_id"
            " from holdfast.enqueue_jobs(array['t'], array['1', '2']::json[], each => $1::jsonb[])",
            [to_json({"parent": one.id, "parent_token": one.token}) for one in parents],
        )
    ]
    found = [facts(await the_job(conn, child)) for child in children]
    assert [(one[0], one[3]) for one in found] == [("import", "Ada"), ("automatic", None)]


async def test_branches_of_a_pipeline_inherit_them(conn: Connection) -> None:
    await a_pipeline(conn)
    await entered_job(conn, **GIVEN)
    job = await claim_one(conn, await a_stage_worker(conn))
    assert await settle(conn, job, "advance", {"stages": ["b", "c"]})
    branches = await conn.fetch("select * from holdfast.job_view where parent = $1", job.id)
    assert [(one["origin"], one["claimed_actor"]) for one in branches] == [("import", "Ada")] * 2


async def test_a_run_records_them_and_its_last_job_has_them(conn: Connection) -> None:
    login = await conn.fetchval("select session_user")
    run, (job,) = await a_sealed_run(conn, 1, on_complete={"task": "after", "queue": "after"}, **GIVEN)
    assert facts(await the_run(conn, run)) == ("import", login, None, "Ada")
    assert facts(await the_job(conn, job))[0] == "automatic"
    await complete(conn, await claim_one(conn, await a_worker(conn)))
    await conn.execute("select holdfast.close_runs()")
    (after,) = await conn.fetch("select * from holdfast.job_view where task = 'after'")
    assert (after["origin"], after["claimed_actor"]) == ("import", "Ada")


async def test_a_run_is_automatic_unless_it_says_otherwise(conn: Connection) -> None:
    assert (await the_run(conn, await an_open_run(conn)))["origin"] == "automatic"
    error = await refusal(conn, "select holdfast.start_run('r', $1)", to_json({"origin": "x" * 201}))
    assert error.sqlstate == "HF002"


@pytest.mark.parametrize(
    ("verb", "states"), [("list_jobs", {"ready", "dead"}), ("find_jobs", {"ready"})], ids=["list", "find"]
)
async def test_origin_and_actor_are_filters(conn: Connection, verb: str, states: set[str]) -> None:
    login = await conn.fetchval("select session_user")
    await dead_job(conn, **GIVEN)
    await ready_job(conn, **GIVEN)
    await ready_job(conn)
    call = f"select state from holdfast.{verb}($1)"
    count = "select holdfast.count_matching_jobs($1, array['ready', 'dead'])"
    for filters, matching in [
        ({"origin": "import"}, 2), ({"origin": "automatic"}, 1), ({"origin": "manual"}, 0),
        ({"actor": "Ada"}, 2), ({"actor": login}, 3), ({"actor": "nobody"}, 0),
        ({"actor": "Ada", "origin": "automatic"}, 0),
    ]:  # fmt: skip
        found = [row["state"] for row in await conn.fetch(call, to_json(filters))]
        expected = await conn.fetchval(count, to_json(filters))
        assert expected == matching, filters
        assert len(found) == (matching if "dead" in states else matching - (matching > 1)), filters
        assert {*found} <= states


async def test_a_filter_cannot_name_logins_by_number(conn: Connection) -> None:
    assert (await refusal(conn, "select holdfast.list_jobs($1)", '{"logins": [1]}')).sqlstate == "HF002"
