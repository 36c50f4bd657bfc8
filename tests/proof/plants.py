"""A violation of each invariant, planted where there was none; each plant is named as what it violates."""

from typing import Any
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_sealed_run,
    a_worker,
    claim_one,
    complete,
    completed_job,
    dead_job,
    expire_worker,
    fail,
    ready_job,
    running_job,
    scheduled_job,
    settle,
    waiting_job,
)
from tests.proof.recorded import RECORDED, Plant
from tests.proof.schedule_plants import OF_SCHEDULES


async def failed_job(conn: Connection, **options: Any) -> Any:
    """Its first attempt failed, its second runs."""
    worker = await a_worker(conn)
    await ready_job(conn, retry={"delays": [0, 0, 0]}, **options)
    first = await claim_one(conn, worker)
    assert await fail(conn, first)
    return await claim_one(conn, worker)


async def live_and_ended(conn: Connection) -> None:
    job = await completed_job(conn)
    await conn.execute(
        "insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, queue, task)"
        " select id, lane, priority, priority, 'ready', ended_at, queue, task from holdfast.history"
        " where id = $1",
        job.id,
    )


async def ended_twice(conn: Connection) -> None:
    job = await completed_job(conn)
    await conn.execute(
        "insert into holdfast.history (id, state, ended_at, queue, task, lane, priority, attempt, failures,"
        " losses, deferrals, generation, visit) select id, 'cancelled', ended_at + interval '1 second',"
        " queue, task, lane, priority, attempt, 0, 0, 0, generation, visit from holdfast.history"
        " where id = $1",
        job.id,
    )


async def completed_by_a_bad_attempt(conn: Connection) -> None:
    job = await completed_job(conn)
    await conn.execute(
        "insert into holdfast.attempts (job_id, attempt, generation, visit, outcome, counted, queue, task,"
        " token, ended_at) values ($1, $2, 1, 1, 'lost', false, 'default', 'task', $3, clock_timestamp())",
        job.id,
        job.attempt,
        job.token,
    )


async def running_without_lease(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute("alter table holdfast.jobs drop constraint job_runs_with_worker_and_token")
    await conn.execute("update holdfast.jobs set token = null where id = $1", job.id)


async def attempt_number_fell(conn: Connection) -> None:
    job = await failed_job(conn)
    await conn.execute("update holdfast.jobs set attempt = 0 where id = $1", job.id)


async def token_twice(conn: Connection) -> None:
    job = await failed_job(conn)
    await conn.execute("update holdfast.attempts set token = $2 where job_id = $1", job.id, job.token)


async def leases_overlap(conn: Connection) -> None:
    job = await failed_job(conn)
    await conn.execute(
        "update holdfast.attempts set ended_at = ended_at + interval '1 second' where job_id = $1", job.id
    )


async def retried_early(conn: Connection) -> None:
    job = await failed_job(conn)
    await conn.execute(
        "update holdfast.attempts set retry_at = retry_at + interval '1 second' where job_id = $1", job.id
    )


async def dead_without_letter(conn: Connection) -> None:
    job = await dead_job(conn)
    await conn.execute("delete from holdfast.dead_letters where job_id = $1", job.id)


async def letter_without_dead(conn: Connection) -> None:
    job = await dead_job(conn)
    await conn.execute("update holdfast.history set state = 'cancelled' where id = $1", job.id)


async def too_many_failures(conn: Connection) -> None:
    job = await ready_job(conn, max_failures=2)
    await conn.execute("update holdfast.jobs set failures = 2 where id = $1", job)


async def too_many_losses(conn: Connection) -> None:
    job = await ready_job(conn)
    await conn.execute("update holdfast.jobs set losses = 3 where id = $1", job)


async def unexplained_count(conn: Connection) -> None:
    job = await failed_job(conn)
    await conn.execute("delete from holdfast.attempts where job_id = $1", job.id)


async def illegal_transition(conn: Connection) -> None:
    await trail(conn, "completed", "dead")


async def in_flight_is_wrong(conn: Connection) -> None:
    await conn.execute("""select holdfast.declare_endpoint('model', '{"max": 4}')""")
    await running_job(conn, endpoint="model")
    await conn.execute("update holdfast.endpoints set in_flight = 2 where name = 'model'")


async def above_the_limit(conn: Connection) -> None:
    await running_job(conn)
    await conn.execute(
        "insert into holdfast.limits (kind, name, max_concurrent, changed_at)"
        " values ('queue', 'default', 0, '2020-01-01Z')"
    )


async def lane_of_another_queue(conn: Connection) -> None:
    job = await ready_job(conn)
    await conn.execute("update holdfast.jobs set queue = 'other' where id = $1", job)


async def rules_unnoticed(conn: Connection) -> None:
    await conn.execute(
        "select holdfast.set_rule('task', 'x', 'x', '{\"condition\": \"exists ($)\", \"points\": 1}')"
    )
    await conn.execute("update holdfast.tasks set has_rules = false")


async def order_key_twice(conn: Connection) -> None:
    job = await waiting_job(conn)
    await conn.execute(
        "update holdfast.jobs set state = 'ready', waits_for = null, rank_at = now() where id = $1", job
    )


async def overtaken(conn: Connection) -> None:
    await waiting_job(conn, order_key="line")
    await conn.execute(
        "update holdfast.jobs set order_seq = order_seq + 10 where waits_for is null and order_key = 'line'"
    )


async def order_without_line(conn: Connection) -> None:
    await ready_job(conn, order_key="line")
    await conn.execute("delete from holdfast.order_keys where key = 'line'")


async def line_without_head(conn: Connection) -> None:
    await ready_job(conn, order_key="line")
    await conn.execute("update holdfast.order_keys set head = $1 where key = 'line'", uuid4())


async def order_overlaps(conn: Connection) -> None:
    await completed_job(conn, order_key="line")
    second = await completed_job(conn, order_key="line")
    await conn.execute(
        "update holdfast.history set ended_at = ended_at + interval '1 second' where id <> $1", second.id
    )


async def stage_without_output(conn: Connection) -> None:
    job = await running_job(conn)
    assert await settle(conn, job, "advance", {"stage": "next"}, output=1)
    await conn.execute("delete from holdfast.stage_outputs where job_id = $1", job.id)


async def run_does_not_add_up(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, jobs=2)
    await conn.execute("update holdfast.runs set total = total + 1 where id = $1", run)


async def run_has_more_rows(conn: Connection) -> None:
    run, _ = await a_sealed_run(conn, jobs=1)
    job = await claim_one(conn, await a_worker(conn))
    assert await complete(conn, job)
    await conn.execute("update holdfast.runs set completed = -1, dead = 1 where id = $1", run)


async def duplicate_unique_key(conn: Connection) -> None:
    await ready_job(conn, unique_key="once", unique_for="forever")
    other = await ready_job(conn)
    await conn.execute(
        "update holdfast.jobs set unique_scope = 'task', unique_key = 'once' where id = $1", other
    )


async def key_outlived_its_job(conn: Connection) -> None:
    job = await completed_job(conn, unique_key="once")
    await conn.execute(
        "insert into holdfast.unique_keys (scope, key, job_id, payload_hash, until_end)"
        " values ('task', 'once', $1, '', true)",
        job.id,
    )


async def end_counted_wrongly(conn: Connection) -> None:
    """A minute that is counted for good has an end that never was."""
    await conn.execute("select holdfast.summarise_ends()")
    await conn.execute(
        "insert into holdfast.end_counts (minute, queue, task, state, jobs)"
        " select date_trunc('minute', holdfast.counted_until()) - interval '1 minute', 'default', 'task',"
        " 'completed', 1"
    )


async def stuck_running(conn: Connection) -> None:
    await expire_worker(conn, (await running_job(conn)).worker)


async def stuck_scheduled(conn: Connection) -> None:
    job = await scheduled_job(conn)
    await conn.execute("update holdfast.jobs set due_at = now() - interval '1 minute' where id = $1", job)


async def stuck_waiting(conn: Connection) -> None:
    job = await running_job(conn)
    ((run, _),) = await conn.fetch(
        "select * from holdfast.spawn_children($1, $2, 'parts', '{part}', array['{}'::json])",
        job.id,
        job.token,
    )
    assert await settle(conn, job, "wait", {"for": "children:parts"})
    await conn.execute("update holdfast.runs set ended_at = now() - interval '1 minute' where id = $1", run)


async def trail(conn: Connection, source: str, target: str) -> None:
    await conn.execute(
        "insert into holdfast.events (at, cause, job_id, from_state, to_state)"
        " values (now(), 'planted', $1, $2, $3)",
        uuid4(),
        source,
        target,
    )


PLANTS: list[Plant] = [
    *RECORDED,
    *OF_SCHEDULES,
    live_and_ended,
    ended_twice,
    completed_by_a_bad_attempt,
    running_without_lease,
    attempt_number_fell,
    token_twice,
    leases_overlap,
    retried_early,
    dead_without_letter,
    letter_without_dead,
    too_many_failures,
    too_many_losses,
    unexplained_count,
    illegal_transition,
    in_flight_is_wrong,
    above_the_limit,
    lane_of_another_queue,
    rules_unnoticed,
    order_key_twice,
    overtaken,
    order_without_line,
    line_without_head,
    order_overlaps,
    stage_without_output,
    run_does_not_add_up,
    run_has_more_rows,
    duplicate_unique_key,
    end_counted_wrongly,
    key_outlived_its_job,
    stuck_running,
    stuck_scheduled,
    stuck_waiting,
]
