"""Every workload reports the errors that it checks for: a wrong row is planted and reported."""

import random

import pytest

from chaos.enqueue_ledger import Ledger
from chaos.final_checks import check
from chaos.workload import Producer, Workload
from chaos.workloads import all_workloads, invalid_jobs
from chaos.workloads.outcomes import Outcomes
from holdfast.db.connect import Connection, Database
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText
from tests.builders import an_open_run, dead_job, expire_worker, ready_job, rescue, running_job
from tests.chaos.move_plants import Plant
from tests.chaos.plants import FOLLOW, PLANTS, a_followed_run, held_at_once
from tests.chaos.test_checks import SETTLED

WORKLOADS = {workload.name: workload for workload in all_workloads()}


@pytest.fixture
async def mixed(db: Database) -> Database:
    """With the tables and triggers of all workloads."""
    async with db.connection() as conn:
        await mix(conn)
    return db


@pytest.mark.parametrize(("workload", "plant", "reported"), PLANTS)
async def test_what_is_planted_is_reported(
    conn: Connection, workload: str, plant: Plant, reported: str
) -> None:
    await mix(conn)
    assert await WORKLOADS[workload].check(conn) == []
    await plant(conn)
    found = await WORKLOADS[workload].check(conn)
    assert [what for what in found if reported in what], found


def test_every_workload_that_checks_rows_has_a_plant() -> None:
    judging = {name for name, part in WORKLOADS.items() if type(part).check is not Workload.check}
    assert judging == {part for part, _, _ in PLANTS}


# --- what is right is not reported


async def test_two_at_once_and_a_lease_that_ended_are_no_offence(conn: Connection) -> None:
    await mix(conn)
    await held_at_once(conn, "narrow", 2)
    lost = await running_job(conn, queue="losses")
    await expire_worker(conn, lost.worker)
    assert (await rescue(conn))["recovered"] == 1
    assert await WORKLOADS["queue_limit"].check(conn) == await WORKLOADS["leases"].check(conn) == []


async def test_runs_that_are_followed_once_each_are_no_offence(conn: Connection) -> None:
    await mix(conn)
    await a_followed_run(conn)
    await a_followed_run(conn)
    await an_open_run(conn, on_complete=FOLLOW)
    assert await WORKLOADS["runs"].check(conn) == []


# --- answers


async def test_an_answer_that_turns_out_wrong_is_reported(mixed: Database) -> None:
    workload, producer = Outcomes(), a_producer(mixed)
    async with mixed.connection() as conn:
        waits = await ready_job(conn, task="outcome", payload={"planned": "cancel"})
        died = await dead_job(conn, task="outcome", queue="chaos-outcomes", payload={"planned": "permanent"})
    workload._to_replay.append(JobId(died.id))
    await workload._cancel(producer, [JobId(waits)])
    await workload._replay(producer)
    assert not [what for what in await workload.check(mixed) if "reported as" in what]
    async with mixed.connection() as conn:
        await conn.execute("update holdfast.history set state = 'rejected'")
        await conn.execute("delete from holdfast.jobs")
        await dead_job(conn, task="outcome", queue="chaos-outcomes", payload={"planned": "permanent"})
        await conn.execute("update holdfast.history set id = $1 where state = 'dead'", died.id)
    found = await workload.check(mixed)
    assert f"{waits}: reported as cancelled, and ended as rejected" in found
    assert f"{died.id}: reported as replayed, and it is in its first generation" in found


async def test_invalid_jobs_are_refused_and_nothing_of_them_is_stored(mixed: Database) -> None:
    producer = a_producer(mixed)
    await WORKLOADS["invalid_jobs"].produce(producer)
    assert (len(producer.ledger.refused), len(producer.ledger.accepted)) == (4, 1)
    assert (producer.ledger.wrong, producer.ledger.indeterminate) == ([], set())
    assert (await check(mixed, producer.ledger, SETTLED)).wrong == ["1 jobs are still live"]


async def test_an_invalid_job_that_is_accepted_is_reported_twice(mixed: Database) -> None:
    producer = a_producer(mixed)
    await invalid_jobs._offer(producer, ["here"], [JsonText('{"ref": "here"}')], {})
    found = (await check(mixed, producer.ledger, SETTLED)).wrong
    assert [what for what in found if what.startswith("invalid_jobs:") and "was accepted as" in what]
    assert [what for what in found if what.startswith("a job that was refused")]


async def test_what_sql_commits_is_in_the_ledger_and_what_it_rolls_back_must_be_absent(
    mixed: Database,
) -> None:
    producer = a_producer(mixed)
    for _ in range(12):
        await WORKLOADS["outbox"].produce(producer)
    ledger = producer.ledger
    kept, gone = len(ledger.accepted), len(ledger.withdrawn)
    assert min(kept, gone) > 0
    assert (kept + gone, ledger.indeterminate) == (12, set())
    assert (await check(mixed, ledger, SETTLED)).wrong == [f"{kept} jobs are still live"]
    # A commit that was lost with both rows, and a rollback that was none.
    lost, back = next(iter(ledger.accepted)), next(iter(ledger.withdrawn))
    await mixed.execute("delete from holdfast.jobs where payload ->> 'ref' = $1", lost)
    await mixed.execute("delete from public.chaos_outbox where ref = $1", lost)
    await mixed.execute("insert into public.chaos_outbox values ($1)", back)
    async with mixed.connection() as conn:
        await ready_job(conn, task="booked", payload={"ref": back})
    report = await check(mixed, ledger, SETTLED)
    assert f"accepted and gone: {ledger.accepted[lost].job}" in report.lost
    assert [what for what in report.wrong if what.startswith("a job that was rolled back before its commit")]


async def mix(conn: Connection) -> None:
    for workload in all_workloads():
        if workload.tables:
            await conn.execute(workload.tables)


def a_producer(database: Database) -> Producer:
    return Producer(database, Ledger(), random.Random(1))
