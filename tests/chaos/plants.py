"""A wrong row or effect for each complaint that a workload can make."""

from typing import Any
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    an_open_run,
    cancelled_job,
    claim,
    completed_job,
    dead_job,
    expire_worker,
    ready_job,
    ready_jobs,
    release,
    rescue,
    running_job,
)
from tests.chaos.move_plants import MOVE_PLANTS, Plant
from tests.chaos.rule_plants import RULE_PLANTS
from tests.chaos.schedule_plants import OF_SCHEDULES
from tests.sql.endpoints.scene import an_endpoint

FOLLOW = {"task": "followed"}


async def completed_under_another_token(conn: Connection) -> None:
    await completed_job(conn, {"attempt": 1, "token": str(uuid4())}, task="plain")


async def completed_under_another_token_over_http(conn: Connection) -> None:
    await completed_job(conn, {"attempt": 1, "token": str(uuid4())}, task="spoken")


async def completed_by_another_attempt(conn: Connection) -> None:
    job = await running_job(conn, task="plain")
    await conn.execute(
        "select holdfast.complete_jobs($1, $2, array[json_build_object('attempt', 2, 'token', $3::uuid)])",
        [job.id],
        [job.token],
        job.token,
    )


async def an_effect_by_a_loser(conn: Connection) -> None:
    await an_effect(conn, (await completed_job(conn, task="effect")).id, uuid4())


async def an_effect_twice(conn: Connection) -> None:
    job = await completed_job(conn, task="effect")
    await an_effect(conn, job.id, job.token)
    await an_effect(conn, job.id, job.token)


async def no_effect(conn: Connection) -> None:
    await completed_job(conn, task="effect")


async def an_effect_of_none(conn: Connection) -> None:
    await an_effect(conn, await cancelled_job(conn, task="effect"), uuid4())


async def a_dead_neighbour(conn: Connection) -> None:
    await dead_job(conn, task="beside")


async def a_culprit_that_lives_on(conn: Connection) -> None:
    await completed_job(conn, task="poison", payload={"way": "kill"})


async def three_at_once(conn: Connection) -> None:
    """Claimed in one call and released in one: they leave no record of their own."""
    await held_at_once(conn, "narrow", 3)


async def five_calls_at_once(conn: Connection) -> None:
    await held_at_once(conn, "call", 5)


async def held_unseen(conn: Connection) -> None:
    await completed_job(conn, task="narrow")
    await conn.execute("delete from public.chaos_held_narrow")


async def a_permit_left_over(conn: Connection) -> None:
    await an_endpoint(conn, "chaos-model", max=4)
    await conn.execute("update holdfast.endpoints set in_flight = 1")


async def a_job_taken_too_early(conn: Connection) -> None:
    """The triggers saw a valid lease; then the job is rescued as if the lease had expired."""
    job = await running_job(conn)
    await conn.execute("alter table holdfast.workers disable trigger chaos_renewed")
    await expire_worker(conn, job.worker)
    assert (await rescue(conn))["recovered"] == 1


async def an_unseen_worker(conn: Connection) -> None:
    await a_worker(conn)
    await conn.execute("delete from public.chaos_renewals")


async def a_row_without_its_job(conn: Connection) -> None:
    await conn.execute("insert into public.chaos_outbox values ('here')")


async def a_job_without_its_row(conn: Connection) -> None:
    await ready_job(conn, task="booked", payload={"ref": "here"})


async def an_endless_run(conn: Connection) -> None:
    run = await an_open_run(conn)
    await conn.execute("update holdfast.runs set sealed_at = now() where id = $1", run)


async def one_run_followed_twice_and_one_never(conn: Connection) -> None:
    """As many jobs as runs."""
    first, second = [await a_followed_run(conn) for _ in range(2)]
    await conn.execute(
        "update holdfast.jobs set payload = json_build_object('run', $1::uuid) where payload ->> 'run' = $2",
        first,
        str(second),
    )


async def a_follower_of_an_open_run(conn: Connection) -> None:
    run = await an_open_run(conn, on_complete=FOLLOW)
    await ready_job(conn, task="followed", payload={"run": str(run)})


async def a_child_too_few(conn: Connection) -> None:
    await completed_job(conn, 3, task="parent")


async def a_recorded_step_done_again(conn: Connection) -> None:
    await conn.execute("insert into public.chaos_steps values ($1, 1, 2, true)", uuid4())


async def a_wrong_sum_of_steps(conn: Connection) -> None:
    await completed_job(conn, 2, task="stepwise")


async def a_box_with_a_step_too_few(conn: Connection) -> None:
    await completed_job(conn, 4, task="boxed")


async def a_yield_that_cost(conn: Connection) -> None:
    await completed_job(conn, 5, task="boxed")
    await conn.execute("update holdfast.history set failures = 1")


async def one_that_overtook(conn: Connection) -> None:
    for number in (2, 1):
        await conn.execute("insert into public.chaos_lines values ($1, 'line', $2)", uuid4(), number)


async def a_stage_left_out(conn: Connection) -> None:
    await completed_job(conn, ["draft", "left", "right"])
    await conn.execute("update holdfast.history set pipeline = 'chaos-line'")


async def a_key_of_two(conn: Connection) -> None:
    await ready_jobs(conn, 2, task="keyed")
    await conn.execute("update holdfast.jobs set unique_scope = 'chaos', unique_key = 'one'")


async def a_permanent_failure_that_completed(conn: Connection) -> None:
    await completed_job(conn, task="outcome", payload={"planned": "permanent"})


async def an_end_that_the_trail_lacks(conn: Connection) -> None:
    await cancelled_as_planned(conn)
    await conn.execute("delete from holdfast.events")


async def a_death_without_a_letter(conn: Connection) -> None:
    await dead_job(conn, task="outcome", payload={"planned": "permanent"})
    await conn.execute("delete from holdfast.dead_letters")


async def a_letter_without_a_death(conn: Connection) -> None:
    await dead_job(conn, task="outcome", payload={"planned": "cancel"})
    await conn.execute("update holdfast.history set state = 'cancelled'")


async def a_cancelled_job_with_an_effect(conn: Connection) -> None:
    await an_outcome(conn, await cancelled_as_planned(conn), uuid4())


async def two_effects_of_one_generation(conn: Connection) -> None:
    job = await completed_job(conn, task="outcome", payload={"planned": "cancel"})
    await an_outcome(conn, job.id, job.token)
    await an_outcome(conn, job.id, job.token)


async def an_outcome_by_a_loser(conn: Connection) -> None:
    job = await completed_job(conn, task="outcome", payload={"planned": "cancel"})
    await an_outcome(conn, job.id, uuid4())


async def a_slow_one_by_a_loser(conn: Connection) -> None:
    await completed_job(conn, [str(uuid4())], task="slow", payload={"way": "output"})


async def a_slow_effect_by_a_loser(conn: Connection) -> None:
    job = await completed_job(conn, task="slow", payload={"way": "effect"})
    for token in (job.token, uuid4()):
        await conn.execute("insert into public.chaos_slow values ($1, $2)", job.id, token)


async def a_slow_one_without_its_effect(conn: Connection) -> None:
    await completed_job(conn, task="slow", payload={"way": "effect"})


PLANTS: list[tuple[str, Plant, str]] = [
    *MOVE_PLANTS,
    *RULE_PLANTS,
    ("poison", a_dead_neighbour, "a neighbour is dead"),
    ("poison", a_culprit_that_lives_on, "a culprit (kill) is completed"),
    ("plain", completed_under_another_token, "was completed in attempt 1 with the output"),
    ("plain", completed_by_another_attempt, "was completed in attempt 1 with the output"),
    ("http", completed_under_another_token_over_http, "was completed in attempt 1 with the output"),
    ("effects", an_effect_by_a_loser, "effect of an attempt that lost"),
    ("effects", an_effect_twice, "two effects"),
    ("effects", no_effect, "completed without its effect"),
    ("effects", an_effect_of_none, "effect of a job that did not complete"),
    ("queue_limit", three_at_once, "3 were held at once"),
    ("queue_limit", held_unseen, "no trigger saw it begin"),
    ("endpoint_limit", five_calls_at_once, "5 were held at once"),
    ("endpoint_limit", a_permit_left_over, "1 permits of chaos-model never came back"),
    ("leases", a_job_taken_too_early, ", its lease was valid until"),
    ("leases", an_unseen_worker, "no trigger saw the worker"),
    ("outbox", a_row_without_its_job, "row without its job: here"),
    ("outbox", a_job_without_its_row, "job without its row: here"),
    ("runs", an_endless_run, "is sealed and did not end"),
    ("runs", one_run_followed_twice_and_one_never, "has ended and was followed by 2 jobs"),
    ("runs", one_run_followed_twice_and_one_never, "has ended and was followed by 0 jobs"),
    ("runs", a_follower_of_an_open_run, "has not ended and was followed by 1 jobs"),
    ("children", a_child_too_few, "has 0 children and the output 3"),
    ("steps", a_recorded_step_done_again, "was done again"),
    ("steps", a_wrong_sum_of_steps, "wrong sum of steps"),
    ("time_box", a_box_with_a_step_too_few, "has the output 4"),
    ("time_box", a_yield_that_cost, "was charged for a yield"),
    ("order_keys", one_that_overtook, "out of order"),
    ("pipeline", a_stage_left_out, 'ended as completed with ["draft"'),
    ("unique_keys", a_key_of_two, "two jobs of the key one"),
    *OF_SCHEDULES,
    ("long_jobs", a_slow_one_by_a_loser, "completed with the output"),
    ("long_jobs", a_slow_effect_by_a_loser, "with 2 effects, 1 of them by the attempt that won"),
    ("long_jobs", a_slow_one_without_its_effect, "completed with 0 effects"),
    (
        "outcomes",
        a_permanent_failure_that_completed,
        "ended as completed in generation 1, planned was permanent",
    ),
    ("outcomes", an_end_that_the_trail_lacks, "0 ends in 1 generations"),
    ("outcomes", a_death_without_a_letter, "dead without its letter"),
    ("outcomes", a_letter_without_a_death, "a letter of generation 1; it ended as cancelled in generation 1"),
    ("outcomes", a_cancelled_job_with_an_effect, "an effect of generation 1, which did not complete"),
    ("outcomes", two_effects_of_one_generation, "2 effects of generation 1"),
    ("outcomes", an_outcome_by_a_loser, "without the effect of the attempt that won"),
]


async def held_at_once(conn: Connection, task: str, count: int) -> None:
    await ready_jobs(conn, count, task=task)
    jobs = await claim(conn, await a_worker(conn), count)
    assert len(jobs) == count
    for job in jobs:
        assert await release(conn, job)


async def an_effect(conn: Connection, job: Any, token: Any) -> None:
    await conn.execute("insert into public.chaos_effects values ($1, $2)", job, token)


async def an_outcome(conn: Connection, job: Any, token: Any) -> None:
    await conn.execute("insert into public.chaos_outcomes values ($1, 1, $2)", job, token)


async def cancelled_as_planned(conn: Connection) -> Any:
    """A job that was to be cancelled, and is."""
    return await cancelled_job(conn, task="outcome", payload={"planned": "cancel"})


async def a_followed_run(conn: Connection) -> Any:
    run = await an_open_run(conn, on_complete=FOLLOW)
    assert await conn.fetchval("select holdfast.seal_run($1)", run)
    return run
