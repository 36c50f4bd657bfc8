"""Who waits for an endpoint, and what keeps the updates of its row heap-only."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from holdfast.db.connect import Connection
from tests.builders import Running, a_worker, claim, complete, fail
from tests.patience import PATIENCE
from tests.race.crowd import Crowd
from tests.sql.endpoints.scene import an_endpoint, assert_balanced, calls

COMERS = 4
End = Callable[[Connection, Running], Awaitable[bool]]
# Not the database's own clean-up: only these sessions.
WAITS = """
select pg_blocking_pids(pid) as blockers
from pg_stat_activity
where pid = any ($1::int[]) and wait_event_type = 'Lock'
"""
INDEXED = """
select a.attname
from pg_index as i
join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
where i.indrelid = 'holdfast.endpoints'::regclass
"""
PARTIAL = """
select count(*) from pg_index
where indrelid = 'holdfast.endpoints'::regclass and (indpred is not null or indexprs is not null)
"""
WRITES = """
select proname, prosrc from pg_proc
where pronamespace = 'holdfast'::regnamespace and prosrc ~ 'update holdfast\\.endpoints'
"""


@pytest.fixture
async def crowded(crowd: Crowd) -> AsyncIterator[Crowd]:
    """Endpoints are not in the list of what a race leaves behind."""
    await crowd.watcher.execute("delete from holdfast.endpoints")
    yield crowd
    await crowd.watcher.execute("delete from holdfast.endpoints")


@pytest.mark.parametrize("end", [complete, fail])
async def test_of_all_who_wait_for_an_endpoint_one_waits_for_its_row(crowded: Crowd, end: End) -> None:
    """A session that waits for a row keeps its page in hand, and no old version on it can be cleared away."""
    holder, held, comers, theirs = await waiting_room(crowded)
    transaction = holder.transaction()
    await transaction.start()
    assert await complete(holder, held)
    ends = [asyncio.ensure_future(end(conn, job)) for conn, job in zip(comers, theirs, strict=True)]
    seen = await all_wait(crowded.watcher, comers)
    await transaction.commit()
    assert all(await asyncio.gather(*ends))
    assert [holder.get_server_pid() in blockers for blockers in seen].count(True) == 1, seen
    await assert_balanced(crowded.watcher)


async def waiting_room(crowd: Crowd) -> tuple[Connection, Running, list[Connection], list[Running]]:
    """A running call for a holder and one for each of those who will come."""
    await an_endpoint(crowd.watcher, mode="fixed", max=20)
    await calls(crowd.watcher, COMERS + 1)
    worker = await a_worker(crowd.watcher)
    held, *theirs = await claim(crowd.watcher, worker, COMERS + 1)
    return await crowd.join(), held, [await crowd.join() for _ in theirs], theirs


async def test_a_login_that_guesses_the_name_of_a_lock_cannot_hold_up_those_who_wait(crowded: Crowd) -> None:
    holder, held, comers, theirs = await waiting_room(crowded)
    stranger = await crowded.join()
    await stranger.execute("select pg_advisory_lock(hashtextextended('holdfast.endpoint:model', 0))")
    transaction = holder.transaction()
    await transaction.start()
    assert await complete(holder, held)
    ends = [asyncio.ensure_future(complete(conn, job)) for conn, job in zip(comers, theirs, strict=True)]
    seen = await all_wait(crowded.watcher, comers)
    await transaction.commit()
    assert stranger.get_server_pid() not in {pid for blockers in seen for pid in blockers}
    assert all(await asyncio.gather(*ends))


async def all_wait(watcher: Connection, comers: list[Connection]) -> list[list[int]]:
    """Who keeps each of them."""
    pids = [conn.get_server_pid() for conn in comers]
    async with asyncio.timeout(PATIENCE):
        while True:
            found = [row["blockers"] for row in await watcher.fetch(WAITS, pids)]
            if len(found) == len(comers) and all(found):
                return found
            await asyncio.sleep(0.005)


async def test_no_index_covers_a_column_that_a_call_changes(conn: Connection) -> None:
    indexed = {row["attname"] for row in await conn.fetch(INDEXED)}
    written = {row["proname"]: set_columns(row["prosrc"]) for row in await conn.fetch(WRITES)}
    assert written["save_endpoint"] >= {"in_flight", "limit", "second_started", "last_ok"}
    assert indexed == {"name", "price"}
    assert not indexed & {name for names in written.values() for name in names}
    assert await conn.fetchval(PARTIAL) == 0, "its condition would count as covered"


def set_columns(source: str) -> set[str]:
    """What the updates of endpoints in a function's text assign to."""
    updates = re.findall(r"update holdfast\.endpoints as \w+\s+set (.*?)\s+where", source, re.DOTALL)
    return {name for text in updates for name in re.findall(r'(?:^|,\s*)"?(\w+)"? = ', text)}
