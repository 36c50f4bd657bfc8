"""One job from psql or a trigger, with named arguments."""

import json
from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import an_open_run, refusal, the_job


async def test_a_task_alone_is_enough(conn: Connection) -> None:
    job = await the_job(conn, await conn.fetchval("select holdfast.enqueue('greet')"))
    assert (job["task"], job["payload"], job["state"]) == ("greet", "{}", "ready")


async def test_every_argument_arrives(conn: Connection) -> None:
    run = await an_open_run(conn)
    job_id = await conn.fetchval(
        """select holdfast.enqueue('t', '[1]', queue => 'q', priority => 7, delay => '1 hour',
             unique_key => 'u', unique_for => 'forever', unique_scope => 's', order_key => 'o', run => $1,
             labels => '{"a": null}', timeout => '90 seconds', deadline => holdfast.now() + interval '2 days',
             "group" => 'g', endpoint => 'e', max_failures => 9, retry => '"posts"')""",
        run,
    )
    job = await the_job(conn, job_id)
    assert (job["queue"], job["priority"], job["state"], job["run"]) == ("q", 7, "scheduled", run)
    assert (job["unique_key"], job["order_key"], job["group"], job["endpoint"]) == ("u", "o", "g", "e")
    assert (job["timeout"], job["max_failures"]) == (timedelta(seconds=90), 9)
    assert json.loads(job["labels"]) == {"a": None}
    assert json.loads(job["retry"]) == {"delays": [60, 300, 900]}
    assert timedelta(days=1) < job["deadline"] - job["created_at"] < timedelta(days=3)


async def test_bad_arguments_are_refused(conn: Connection) -> None:
    for bad in [
        "priority => 101",
        "run_at => 'infinity'",
        "timeout => '0'",
        "retry => '5'",
        "labels => '[]'",
    ]:
        assert (await refusal(conn, f"select holdfast.enqueue('t', {bad})")).sqlstate == "HF002", bad


async def test_an_interval_survives_any_style_of_the_session(conn: Connection) -> None:
    for style in ["postgres", "postgres_verbose", "sql_standard", "iso_8601"]:
        await conn.execute(f"set local intervalstyle = {style}")
        job_id = await conn.fetchval("select holdfast.enqueue('t', timeout => '1 day 02:03:04.5')")
        timeout = (await the_job(conn, job_id))["timeout"]
        assert timeout == timedelta(days=1, hours=2, minutes=3, seconds=4.5), style


async def test_a_trigger_on_a_users_table_enqueues_with_the_users_own_transaction(conn: Connection) -> None:
    await conn.execute(
        """
        create table alerts (id integer, text text);
        create function notice_alert() returns trigger language plpgsql as $$
        begin
          perform holdfast.enqueue('alert', to_json(new), queue => 'alerts');
          return new;
        end $$;
        create trigger alert_added after insert on alerts for each row execute function notice_alert();
        grant insert on alerts to holdfast_producer;
        """
    )
    await conn.execute("set local role holdfast_producer")
    await conn.execute("insert into alerts select i, 'fire' from generate_series(1, 3) as i")
    savepoint = conn.transaction()
    await savepoint.start()
    await conn.execute("insert into alerts values (4, 'undone')")
    await savepoint.rollback()
    await conn.execute("reset role")
    rows = await conn.fetch("select payload from holdfast.jobs where queue = 'alerts' order by rank_at")
    assert [json.loads(row["payload"]) for row in rows] == [{"id": n, "text": "fire"} for n in (1, 2, 3)]
