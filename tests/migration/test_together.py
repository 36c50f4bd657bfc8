"""Versions n and n+1 together: the newer one migrates while the older one works, and takes nothing away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Connection
from holdfast.db.invariants import check_invariants
from holdfast.db.migrate import FUNCTION_SET, migrate, schema_version
from holdfast.db.needed_role import granted_verbs
from holdfast.db.sql_files import SqlFiles
from holdfast.model.state import State
from tests.docs.sql_reference import EVERYONE
from tests.migration.release import connection, with_function, with_migration
from tests.migration.signatures import recorded, signatures
from tests.worker.working import counts, ended, in_state, until, working

GONE_OR_CHANGED = """The list of public verbs is frozen (tests/migration/signatures.txt).
Before 0.1.0 is released a change needs a page in docs/decisions that says why, and a line in UPGRADING.md;
then run python -m tests.migration.signatures. After the release no line may go within a major version: give
the new shape a new name, and keep the old one."""
ADDED = """Verbs, columns or rights were added: once released they stay for the whole major version.
If they are meant to be public, run python -m tests.migration.signatures."""
NEWER = "create or replace function holdfast.of_tomorrow() returns {} language sql as $$select null::{}$$"


async def test_no_verb_or_column_that_another_version_uses_is_gone_or_changed(conn: Connection) -> None:
    there = await signatures(conn)
    assert recorded() - there == set(), GONE_OR_CHANGED
    assert there - recorded() == set(), ADDED


def test_the_list_names_every_verb_of_every_role() -> None:
    granted = {f"{verb} for {role}" for role, verbs in granted_verbs().items() for verb in verbs}
    granted |= {f"{verb} for {role}" for role in granted_verbs() for verb in EVERYONE}
    listed = {line.split("(")[0] for line in recorded() if ") returns " in line}
    assert len(granted) > 150
    assert {line.replace("holdfast_", "") for line in granted} <= recorded()
    assert listed == {line.split(" ")[0] for line in granted}


@pytest.mark.parametrize(
    "change",
    [
        "drop function holdfast.stop_worker(uuid, jsonb)",
        "alter function holdfast.stop_worker(uuid, jsonb) rename to halt_worker",
        "drop view holdfast.attempt_view cascade",
        "revoke execute on function holdfast.stop_worker(uuid, jsonb) from holdfast_worker",
        "revoke select on holdfast.queue_view from holdfast_viewer",
        "alter table holdfast.migrations alter column name type varchar",
        """drop function holdfast.cancel_requests(uuid);
        create function holdfast.cancel_requests(worker uuid)
        returns table (job_id uuid, token uuid, why text) language sql as
        'select null::uuid, null::uuid, null';
        grant execute on function holdfast.cancel_requests to holdfast_worker""",
    ],
)
async def test_a_change_that_would_break_another_version_is_noticed(conn: Connection, change: str) -> None:
    await conn.execute(change)
    assert recorded() - await signatures(conn)


@pytest.mark.alone
@pytest.mark.slow
async def test_a_worker_goes_on_while_newer_versions_replace_tables_and_functions(
    database_url: str,
) -> None:
    """Three newer releases, the last of which cannot replace a function and makes all of them anew."""
    go_on = asyncio.Event()
    async with Holdfast(database_url, name="older") as app, connection(database_url) as conn:

        @app.task()
        async def work(n: int) -> int:
            await asyncio.sleep(0.005)
            return n

        @app.task()
        async def long() -> str:
            await go_on.wait()
            return "done"

        async with working(app, slots=8), working(app, slots=8):
            slow = await long.enqueue()
            await until(in_state(slow, State.RUNNING))
            async with a_producer(work) as made:
                for number, release in enumerate(releases(), FUNCTION_SET + 1):
                    assert (await migrate(conn, release, number)).changed
            go_on.set()
            assert (await ended(slow)).attempt == 1
            await until(lambda: all_completed(app, len(made) + 1))
        assert (await schema_version(conn)).function_set == FUNCTION_SET + 3
        rows = await app.database.fetch("select attempt, losses, failures from holdfast.history")
        assert {tuple(row) for row in rows} == {(1, 0, 0)}
        assert len(made) >= 20, "too little was going on"
        assert await check_invariants(app.database) == []


def releases() -> list[SqlFiles]:
    first = with_function(NEWER.format("int", "int"))
    second = with_migration("alter table holdfast.jobs add tomorrow integer default 1;", first)
    third = with_function(NEWER.format("text", "text"), replace(second, functions=second.functions[:-1]))
    return [first, second, third]


@asynccontextmanager
async def a_producer(work: Task[[int], int]) -> AsyncIterator[list[int]]:
    """Enqueues all the time, one after the other; what it was told is accepted."""
    made: list[int] = []

    async def produce() -> None:
        while True:
            await work.enqueue(len(made))
            made.append(len(made))

    task = asyncio.create_task(produce())
    try:
        yield made
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def all_completed(app: Holdfast, count: int) -> bool:
    found = await counts(app)
    # One more than it was told of, if the producer was stopped while it waited for an answer.
    return [*found] == ["completed"] and found["completed"] in (count, count + 1)
