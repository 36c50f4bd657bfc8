"""The model says what the SQL does: schedules that the search found are done by the real verbs."""

from functools import cache

import pytest

from holdfast.db.connect import Connection
from tests.proof.model_check.sample import Tree, as_tree, sample
from tests.proof.model_check.search import Schedule, search
from tests.proof.model_check.sql_world import SqlWorld, prepare
from tests.proof.model_check.world import Luck, Verb
from tests.sql.conftest import FAKE_NOW

SEED = 7
FEW = Luck(lost_answers=1, ended_leases=1, crashes=1, setbacks=1)
MORE = Luck(lost_answers=2, ended_leases=2, crashes=1, setbacks=2)

# Where a verb asks for what makes it safe, and the last step of a schedule that shows it if it does not.
GUARDS = [
    ("save_checkpoint", "and j.token = save_checkpoint.token", "", Verb.WRITE),
    ("move_to_history", "(tokens is null or j.token = e.end_token)", "true", Verb.COMPLETE),
    ("settle_releases", "job.cancel_asked_at is not null", "false", Verb.RELEASE),
    ("fence_worker", "row.lease_until >= holdfast.now()", "false", Verb.RESCUE),
    ("settle_lost_job", "job.losses := job.losses + 1;", "", Verb.RESCUE),
    ("renew_lease", "perform holdfast.forgive_losses(worker);", "", Verb.RENEW),
    ("renew_lease", "perform holdfast.release_held(worker);", "", Verb.RENEW),
    ("has_lease", "w.lease_until >= holdfast.now()", "true", Verb.CLAIM),
]


@pytest.mark.slow
async def test_the_sql_verbs_do_what_the_model_says(conn: Connection) -> None:
    await follow_all(conn, schedules(FEW, 1))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(1200)
async def test_the_sql_verbs_do_what_the_model_says_of_more_faults(conn: Connection) -> None:
    await follow_all(conn, schedules(MORE, 30))


def test_the_schedules_are_of_every_kind() -> None:
    chosen = schedules(FEW, 3)
    made = [step for schedule in chosen for step in schedule]
    print(f"{len(chosen)} schedules, {len(made)} steps, seed {SEED}")
    assert len(chosen) > 200
    assert {step.verb for step in made} == {*Verb}
    for kind in ("accepted", "heard", "outdated"):
        assert {getattr(step, kind) for step in made} == {True, False}


@pytest.mark.parametrize(("function", "guard", "instead", "verb"), GUARDS)
async def test_a_verb_that_lost_a_guard_is_found(
    conn: Connection, function: str, guard: str, instead: str, verb: Verb
) -> None:
    await change(conn, function, guard, instead)
    with pytest.raises(AssertionError):
        await follow_all(conn, [schedule for schedule in schedules(FEW, 3) if schedule[-1].verb is verb])


async def change(conn: Connection, function: str, guard: str, instead: str) -> None:
    made = await conn.fetchval(
        "select pg_get_functiondef(oid) from pg_proc"
        " where pronamespace = 'holdfast'::regnamespace and proname = $1",
        function,
    )
    assert guard in made
    await conn.execute(made.replace(guard, instead))


@cache
def schedules(luck: Luck, each: int) -> list[Schedule]:
    return sample(search(luck).origins, SEED, each)


async def follow_all(conn: Connection, chosen: list[Schedule]) -> None:
    await conn.execute(FAKE_NOW)
    await prepare(conn)
    await follow(await SqlWorld.set_up(conn), as_tree(chosen))


async def follow(there: SqlWorld, tree: Tree, done: Schedule = ()) -> None:
    """Schedules that begin alike are one until they part: there each goes on from the same savepoint."""
    for step, rest in tree.items():
        made = (*done, step)
        async with there.branch() as branch:
            await check(branch, made)
            await follow(branch, rest, made)


async def check(there: SqlWorld, made: Schedule) -> None:
    step, said = made[-1], "\n".join(map(str, made))
    accepted = await there.do(step)
    assert accepted == step.accepted, f"accepted: {accepted}, after\n{said}"
    assert await there.seen() == there.expected(step.after), said
