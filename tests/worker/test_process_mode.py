"""Handlers in processes of their own: real ones, killed and crashed."""

import os
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from holdfast.client.app import Holdfast
from holdfast.client.job_handle import JobHandle
from holdfast.model.state import State
from holdfast.worker.call.process import process_pool
from tests.crash.processes import lives
from tests.worker import process_tasks as tasks
from tests.worker.working import attempts_of, ended, in_state, until, working

pytestmark = pytest.mark.slow
of_others: set[int] = set()  # children that this process had before the test


@pytest.fixture
async def app(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Holdfast]:
    """The app of the module that the children load, on this test's database."""
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    of_others.clear()
    of_others.update(one.pid for one in psutil.Process().children())
    async with tasks.app as opened:
        yield opened
    assert children() == []


def children() -> list[int]:
    """Processes of ours that run or wait to be reaped."""
    return [one.pid for one in psutil.Process().children() if one.pid not in of_others and _is_ours(one)]


def _is_ours(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE or "holdfast.worker" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


async def is_gone(pid: int) -> None:
    async def gone() -> bool:
        return not lives(pid)

    await until(gone)


async def pid_in(trace: Path) -> int:
    (pid,) = await pids_in(trace)
    return pid


async def pids_in(trace: Path) -> list[int]:
    async def written() -> list[int]:
        return [int(pid) for pid in trace.read_text().split()] if trace.exists() else []

    return list(await until(written))


async def errors_of(app: Holdfast, handle: JobHandle[Any]) -> list[tuple[str, str]]:
    query = "select error_type, message from holdfast.attempt_view where job_id = $1 order by attempt"
    return [(row["error_type"], row["message"]) for row in await app.database.fetch(query, handle.id)]


async def test_plain_and_async_handlers_run_in_children_of_the_worker(app: Holdfast) -> None:
    plain, polite = await tasks.whoami.enqueue(), await tasks.polite.enqueue()
    async with working(app):
        first = (await ended(plain)).output
        second = (await ended(polite)).output
        assert {first["pid"], second["pid"]} == set(children())
    assert first["parent"] == second["parent"] == os.getpid()
    assert (first["nice"], second["nice"]) == (os.nice(0), min(19, os.nice(0) + 7))


async def test_a_child_is_kept_for_the_next_job_of_its_task_and_makes_room_for_another(
    app: Holdfast,
) -> None:
    handles = [await task.enqueue() for task in (tasks.whoami, tasks.whoami, tasks.polite, tasks.whoami)]
    async with working(app, slots=1):
        pids = [(await ended(handle)).output["pid"] for handle in handles]
        assert children() == [pids[3]]
    assert pids[0] == pids[1]
    assert len(set(pids)) == 3


async def test_an_idle_child_ends_after_a_while(app: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "IDLE", 0.05)
    handle = await tasks.whoami.enqueue()
    async with working(app):
        await ended(handle)

        async def all_reaped() -> bool:
            return children() == []

        await until(all_reaped)


async def test_the_context_works_through_the_worker(app: Holdfast) -> None:
    handle = await tasks.report.options(labels={"a": "b"}).enqueue()
    async with working(app):
        job = await ended(handle)
        child = app.job(job.output["child"])
        assert (await ended(child)).output == 5
    assert (await child.job()).parent == handle.id
    assert (job.output["saved"], job.output["attempt"], job.output["labels"]) == (100_000, 1, {"a": "b"})
    ((installation,),) = await app.database.fetch("select id from holdfast.installation")
    assert re.fullmatch(rf"{installation}:{handle.id}:\d+:\d+:pay", job.output["key"])
    assert job.units == 2.5
    (row,) = await app.database.fetch("select done, total, note from holdfast.progress_view")
    assert tuple(row) == (3, 4, "nearly")


async def test_an_async_handler_takes_its_steps_once(app: Holdfast) -> None:
    handle = await tasks.step_by_step.enqueue()
    async with working(app):
        first, again = (await ended(handle)).output
    assert first == again != os.getpid()


@pytest.mark.parametrize(
    ("kind", "state", "attempts"),
    [
        ("reject", State.REJECTED, []),
        ("permanent", State.DEAD, [("failed", "permanent")]),
        ("exit", State.DEAD, [("failed", "transient")] * 3),
        ("plain", State.DEAD, [("failed", "transient")] * 3),
    ],
)
async def test_what_a_handler_raises_means_the_same_as_anywhere(
    app: Holdfast, kind: str, state: State, attempts: list[tuple[str, str]]
) -> None:
    handle = await tasks.raises.enqueue(kind)
    async with working(app):
        assert (await ended(handle)).state is state
    found = await attempts_of(app, handle.id)
    assert [one for one in found if one[0] == "failed"] == attempts
    if kind == "plain":
        rows = await app.database.fetch(
            "select place, traceback from holdfast.attempt_view where job_id = $1", handle.id
        )
        assert rows[0]["place"].endswith("in raises")
        assert "holdfast/worker" not in rows[0]["traceback"]


@pytest.mark.parametrize(
    ("kind", "streak"), [("failed", 4), ("refused", 4), ("answered", 0), ("killed", 0), ("own", 3)]
)
async def test_what_a_call_tells_of_its_endpoint_reaches_it_from_a_process(
    app: Holdfast, kind: str, streak: int
) -> None:
    app.endpoint("model", mode="fixed", max=5)
    await app.declare()
    await app.database.execute("update holdfast.endpoints set streak = 3")
    handle = await tasks.calls_a_model.enqueue(kind=kind)
    async with working(app):
        await until(lambda: attempts_of(app, handle.id))
    (row,) = await app.database.fetch("select streak from holdfast.endpoints")
    assert row["streak"] == streak


async def test_a_transaction_across_processes_is_refused_with_a_remedy(app: Holdfast) -> None:
    handle = await tasks.transacts.enqueue()
    async with working(app):
        assert (await ended(handle)).state is State.DEAD
    ((kind, message),) = await errors_of(app, handle)
    assert kind.endswith("BadHandler")
    assert "transaction" in message


async def test_the_timeout_kills_a_handler_that_never_returns_and_what_it_forked(
    app: Holdfast, tmp_path: Path
) -> None:
    async with working(app, slots=2):
        # The timeout is short, and a process takes long to start on a busy machine: let it start before.
        assert (await ended(await tasks.whoami.enqueue())).state is State.COMPLETED
        handle = await tasks.never_returns.enqueue(str(tmp_path / "pid"))
        pids = await pids_in(tmp_path / "pid")
        other = await tasks.neighbour.enqueue(1)
        assert (await ended(other)).state is State.COMPLETED
        assert (await ended(handle)).state is State.DEAD
        for pid in pids:
            await is_gone(pid)
    assert await attempts_of(app, handle.id) == [("timed_out", "transient")]
    assert "killed" in (await errors_of(app, handle))[0][1]


@pytest.mark.parametrize(
    ("task", "kind", "said"),
    [
        (tasks.hogs, "MemoryError", ""),
        (tasks.crashes, "ProcessDied", "SIGSEGV"),
        (tasks.leaves, "ProcessDied", "code 3"),
        (tasks.closes_all_files, "ProcessDied", "exited with code"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
async def test_a_death_is_a_failure_of_that_job_alone_and_the_third_one_ends_it(
    app: Holdfast, task: Any, kind: str, said: str
) -> None:
    handle, before = await task.enqueue(), await tasks.whoami.enqueue()
    async with working(app, slots=2) as worker:
        job = await ended(handle)
        after = await tasks.whoami.enqueue()
        assert (await ended(before)).output["pid"] == (await ended(after)).output["pid"]
    assert (job.state, job.failures, job.losses) == (State.DEAD, 3, 0)
    errors = await errors_of(app, handle)
    assert [error[0] for error in errors] == [kind] * 3
    assert all(said in error[1] for error in errors)
    assert await attempts_of(app, handle.id) == [("failed", "transient")] * 3
    assert (worker.report.processed, worker.report.lost) == (5, 0)


async def test_what_a_handler_forks_neither_speaks_for_it_nor_outlives_it(app: Holdfast) -> None:
    handle = await tasks.forks.enqueue()
    async with working(app):
        job = await ended(handle)
        for pid in job.output:
            await is_gone(pid)
        again = await ended(await tasks.forks.enqueue())
    assert (job.state, again.state) == (State.COMPLETED, State.COMPLETED)
    assert not {*job.output} & {*again.output}


async def test_a_request_to_cancel_reaches_the_handler_which_may_obey(app: Holdfast, tmp_path: Path) -> None:
    handle = await tasks.obeys.enqueue(str(tmp_path / "pid"))
    async with working(app):
        pid = await pid_in(tmp_path / "pid")
        await handle.cancel("not needed")
        job = await ended(handle)
        assert lives(pid)
    assert (job.state, job.reason) == (State.CANCELLED, "not needed")


async def test_a_handler_that_ignores_the_request_is_killed_after_the_queues_grace(
    app: Holdfast, tmp_path: Path
) -> None:
    handle = await tasks.ignores.enqueue(str(tmp_path / "pid"))
    async with working(app, "impatient"):
        pid = await pid_in(tmp_path / "pid")
        await app.database.execute(
            "select holdfast.declare_queue('impatient', '{\"cancel_grace\": 0.2}'::jsonb)"
        )
        await handle.cancel()
        assert (await ended(handle)).state is State.CANCELLED
        await is_gone(pid)


async def test_a_worker_that_leaves_kills_what_does_not_end_and_releases_it(
    app: Holdfast, tmp_path: Path
) -> None:
    handle = await tasks.ignores.enqueue(str(tmp_path / "pid"))
    async with working(app, "impatient", grace=timedelta(milliseconds=100)):
        pid = await pid_in(tmp_path / "pid")
    assert not lives(pid)
    job = await handle.job()
    assert (job.state, job.failures, job.losses, job.deferrals) == (State.READY, 0, 0, 1)


async def test_a_task_that_a_process_cannot_find_costs_no_failure(database_url: str) -> None:
    async with Holdfast(database_url) as other:
        task = other.task(mode="process", name="elsewhere")(tasks.unregistered)
        handle = await task.enqueue()

        async def has_failed() -> bool:
            return await attempts_of(other, handle.id) != []

        async with working(other):
            await until(has_failed)
        assert (await attempts_of(other, handle.id))[0][1] == "system"
        assert (await handle.job()).failures == 0
        assert (await errors_of(other, handle))[0][0] == "ProcessNotStarted"
    assert children() == []


async def test_a_worker_finds_the_task_by_the_path_of_its_app(app: Holdfast) -> None:
    handle = await tasks.whoami.enqueue()
    async with working(app, app_path="tests.worker.process_tasks:app"):
        assert (await ended(handle)).output["parent"] == os.getpid()


async def test_a_child_that_is_still_loading_is_killed_by_the_timeout_and_when_the_worker_leaves(
    app: Holdfast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "never_loads.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    late = await tasks.whoami.options(timeout="500ms", max_failures=1).enqueue()
    left = await tasks.whoami.enqueue()
    async with working(app, app_path="never_loads:app"):
        assert (await ended(late)).state is State.DEAD
        await until(in_state(left, State.RUNNING))
    assert await attempts_of(app, late.id) == [("timed_out", "transient")]
    assert (await left.job()).state is State.READY
