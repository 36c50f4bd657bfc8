"""Every part of chaos complains of what it is there to find: a wrong row is planted and told of."""

import random

import pytest

from holdfast.cli.chaos.check import check
from holdfast.cli.chaos.ledger import Ledger
from holdfast.cli.chaos.part import Giver, Part
from holdfast.cli.chaos.parts import all_parts, hopeless
from holdfast.cli.chaos.parts.fated import Fated
from holdfast.db.connect import Connection, Database
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText
from tests.builders import an_open_run, dead_job, expire_worker, ready_job, rescue, running_job
from tests.cli.chaos_plants import FOLLOW, PLANTS, Plant, a_followed_run, held_at_once
from tests.cli.test_chaos import SETTLED

PARTS = {part.name: part for part in all_parts()}


@pytest.fixture
async def mixed(db: Database) -> Database:
    """With the tables and watches of all parts."""
    async with db.connection() as conn:
        await mix(conn)
    return db


@pytest.mark.parametrize(("part", "plant", "told"), PLANTS)
async def test_what_is_planted_is_told(conn: Connection, part: str, plant: Plant, told: str) -> None:
    await mix(conn)
    assert await PARTS[part].check(conn) == []
    await plant(conn)
    found = await PARTS[part].check(conn)
    assert [what for what in found if told in what], found


def test_every_part_that_judges_rows_has_a_plant() -> None:
    judging = {name for name, part in PARTS.items() if type(part).check is not Part.check}
    assert judging == {part for part, _, _ in PLANTS}


# --- what is honest is not told of


async def test_two_at_once_and_a_lease_that_ended_are_no_offence(conn: Connection) -> None:
    await mix(conn)
    await held_at_once(conn, "narrow", 2)
    lost = await running_job(conn, queue="losses")
    await expire_worker(conn, lost.worker)
    assert (await rescue(conn))["recovered"] == 1
    assert await PARTS["limited"].check(conn) == await PARTS["leases"].check(conn) == []


async def test_runs_that_are_followed_once_each_are_no_offence(conn: Connection) -> None:
    await mix(conn)
    await a_followed_run(conn)
    await a_followed_run(conn)
    await an_open_run(conn, on_complete=FOLLOW)
    assert await PARTS["runs"].check(conn) == []


# --- what the answers say


async def test_a_word_that_was_broken_is_told(mixed: Database) -> None:
    part, giver = Fated(), a_giver(mixed)
    async with mixed.connection() as conn:
        waits = await ready_job(conn, task="fated", payload={"fate": "cancel"})
        died = await dead_job(conn, task="fated", queue="chaos-fated", payload={"fate": "poison"})
    part._doomed.append(JobId(died.id))
    await part._cancel(giver, [JobId(waits)])
    await part._replay(giver)
    assert not [what for what in await part.check(mixed) if "said to be" in what]
    async with mixed.connection() as conn:
        await conn.execute("update holdfast.history set state = 'rejected'")
        await conn.execute("delete from holdfast.jobs")
        await dead_job(conn, task="fated", queue="chaos-fated", payload={"fate": "poison"})
        await conn.execute("update holdfast.history set id = $1 where state = 'dead'", died.id)
    found = await part.check(mixed)
    assert f"{waits}: said to be cancelled, and ended as rejected" in found
    assert f"{died.id}: said to be replayed, and it is in its first life" in found


async def test_hopeless_input_is_refused_and_nothing_of_it_is_stored(mixed: Database) -> None:
    giver = a_giver(mixed)
    await PARTS["hopeless"].produce(giver)
    assert (len(giver.ledger.refused), len(giver.ledger.accepted)) == (4, 1)
    assert (giver.ledger.wrong, giver.ledger.indeterminate) == ([], set())
    assert (await check(mixed, giver.ledger, SETTLED)).wrong == ["1 jobs are still live"]


async def test_hopeless_input_that_is_accepted_is_told_twice(mixed: Database) -> None:
    giver = a_giver(mixed)
    await hopeless._offer(giver, ["here"], [JsonText('{"ref": "here"}')], {})
    told = (await check(mixed, giver.ledger, SETTLED)).wrong
    assert [what for what in told if what.startswith("hopeless:") and "was accepted as" in what]
    assert [what for what in told if what.startswith("a job that was refused")]


async def test_what_sql_commits_is_in_the_ledger_and_what_it_takes_back_must_be_absent(
    mixed: Database,
) -> None:
    giver = a_giver(mixed)
    for _ in range(12):
        await PARTS["outbox"].produce(giver)
    ledger = giver.ledger
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
    assert [what for what in report.wrong if what.startswith("a job that was taken back before its commit")]


async def mix(conn: Connection) -> None:
    for part in all_parts():
        if part.tables:
            await conn.execute(part.tables)


def a_giver(database: Database) -> Giver:
    return Giver(database, Ledger(), random.Random(1))
