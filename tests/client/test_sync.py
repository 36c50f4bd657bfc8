"""Enqueuing from code without an event loop, and from several of them."""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.connect import Database
from holdfast.model.error import InvalidInput, InvalidPayload, UniqueConflict
from tests.patience import PATIENCE

Greet = Task[[str], None]


@pytest.fixture
def greet(app: Holdfast) -> Greet:
    @app.task()
    def greet(name: str) -> None: ...

    return greet


async def test_plain_code_enqueues_and_gets_a_handle(app: Holdfast, greet: Greet) -> None:
    handle = await asyncio.to_thread(greet.options(priority=9).enqueue_sync, "Ada")
    job = await handle.job()
    assert (job.payload, job.priority) == ({"name": "Ada"}, 9)


async def test_inside_an_event_loop_it_is_refused_with_a_remedy(greet: Greet) -> None:
    with pytest.raises(InvalidInput) as refused:
        greet.enqueue_sync("Ada")
    assert "await" in (refused.value.hint or "")


async def test_errors_reach_plain_code(greet: Greet) -> None:
    loose: Any = greet
    with pytest.raises(InvalidPayload):
        await asyncio.to_thread(loose.enqueue_sync, 3)
    once = greet.options(unique_key="k")
    await asyncio.to_thread(once.enqueue_sync, "Ada")
    with pytest.raises(UniqueConflict):
        await asyncio.to_thread(once.enqueue_sync, "Grace")


async def test_the_callers_connection_cannot_be_used_without_a_loop(greet: Greet, db: Database) -> None:
    async with db.connection() as conn:
        with pytest.raises(InvalidInput, match="enqueue_sync"):
            await asyncio.to_thread(greet.using(conn).enqueue_sync, "Ada")


async def test_many_threads_share_one_background_loop(greet: Greet, app: Holdfast) -> None:
    def enqueue_all() -> set[Any]:
        with ThreadPoolExecutor(8) as pool:
            return {handle.id for handle in pool.map(greet.enqueue_sync, ["Ada"] * 40)}

    assert len(await asyncio.to_thread(enqueue_all)) == 40
    assert [thread.name for thread in threading.enumerate()].count("holdfast-sync") == 1
    await app.close()
    assert "holdfast-sync" not in [thread.name for thread in threading.enumerate()]


async def test_an_app_in_two_running_loops_at_once_is_refused(greet: Greet) -> None:
    await greet.enqueue("Ada")
    with pytest.raises(InvalidInput, match="another event loop"):
        await asyncio.to_thread(asyncio.run, greet.enqueue("Ada"))


ONE_LOOP_AFTER_ANOTHER = """
import asyncio
from holdfast import Holdfast

app = Holdfast()

@app.task()
async def greet(name: str) -> None: ...

async def once(name: str) -> None:
    print(await (await greet.enqueue(name)).status())

asyncio.run(once("first"))
asyncio.run(once("second"))
"""

FORK = """
import os, sys
from holdfast import Holdfast

app = Holdfast()

@app.task()
def greet(name: str) -> None: ...

greet.enqueue_sync("parent")
child = os.fork()
if child == 0:
    greet.enqueue_sync("child")
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
"""


async def output_of(program: str, database_url: str) -> str:
    """What it printed; it must end well and say nothing else."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        env={**os.environ, "HOLDFAST_DATABASE_URL": database_url, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, errors.decode()) == (0, "")
    return output.decode()


async def names(db: Database) -> list[str]:
    return [row[0] for row in await db.fetch("select payload ->> 'name' from holdfast.jobs order by id")]


async def test_an_app_can_be_used_in_one_event_loop_after_another(database_url: str, db: Database) -> None:
    assert await output_of(ONE_LOOP_AFTER_ANOTHER, database_url) == "ready\nready\n"
    assert await names(db) == ["first", "second"]


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="a fork beside a thread is safe on Linux only"
)
async def test_a_forked_child_gets_a_loop_of_its_own_and_both_exit_cleanly(
    database_url: str, db: Database
) -> None:
    assert await output_of(FORK, database_url) == "0\n"
    assert await names(db) == ["parent", "child"]
