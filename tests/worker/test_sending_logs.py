"""Lines go to the database in few statements, before the end of long attempts, and once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast
from holdfast.db.logs import save_logs
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import DatabaseUnavailable, InvalidInput
from holdfast.model.state import State
from holdfast.worker.logs import attempt_logs
from tests.worker import log_tasks
from tests.worker.logging_jobs import CUT, drained, has_logged, log, said
from tests.worker.working import ended, until, working


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of every running attempt are sent with the next round."""
    monkeypatch.setattr(attempt_logs, "LONG", 0.0)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of parts of each statement that stored logs."""
    calls: list[int] = []

    async def counted(on: Any, parts: Any) -> int:
        calls.append(len(parts))
        return await save_logs(on, parts)

    monkeypatch.setattr(attempt_logs, "save_logs", counted)
    return calls


@pytest.mark.slow
async def test_a_storm_of_lines_is_cut_and_delays_no_end(
    app: Holdfast, saved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in statements: the ends of all attempts go together, and so do their logs."""
    monkeypatch.setattr(attempt_logs, "LONG", float("inf"))
    settled: list[int] = []

    async def counted(on: Any, me: Any, n: int, ids: Any, *more: Any) -> Any:
        settled.append(len(ids))
        return await settle_and_claim(on, me, n, ids, *more)

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", counted)
    started, gate = asyncio.Semaphore(0), asyncio.Event()

    @app.task(max_failures=1)
    async def work() -> None:
        for number in range(2000):
            log.warning("line %s %s", number, "x" * 100)
        started.release()
        await gate.wait()
        raise ValueError

    jobs = [await work.enqueue() for _ in range(40)]
    async with working(app, slots=40):
        for _ in jobs:
            await started.acquire()
        gate.set()
        for job in jobs:
            await ended(job)
            await until(has_logged(job))
    assert sum(settled) == len(jobs)
    assert sum(1 for ends in settled if ends) <= 8
    assert len(saved) <= 16  # each carries half a megabyte
    for job in jobs:
        lines = await job.logs()
        assert (lines[0].message[:7], lines[-1].message) == ("line 0 ", CUT)
        assert sum(32 + len(line.logger) + len(line.message) for line in lines[:-1]) <= 64 * 1024


async def test_plain_jobs_send_no_statement_for_their_logs(app: Holdfast, saved: list[int]) -> None:
    @app.task()
    async def quiet() -> None:
        return None

    @app.task()
    async def chatty() -> None:
        log.warning("all is well")

    jobs = [await task.enqueue() for task in (quiet, chatty) for _ in range(20)]
    await drained(app)
    assert [await job.status() for job in jobs] == [State.COMPLETED] * 40
    assert saved == []


async def test_lines_of_a_running_attempt_can_be_read_and_go_if_it_succeeds(
    app: Holdfast, at_once: None
) -> None:
    gate = asyncio.Event()

    @app.task()
    async def work() -> None:
        log.warning("still here")
        await gate.wait()
        log.warning("done")

    job = await work.enqueue()
    async with working(app):
        await until(has_logged(job))
        assert await job.status() is State.RUNNING
        gate.set()
        await ended(job)

        async def is_gone() -> bool:
            return await said(job) == []

        await until(is_gone)


async def test_the_log_of_a_lost_attempt_is_kept_as_far_as_it_was_sent(app: Holdfast, at_once: None) -> None:
    gate = asyncio.Event()

    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("sent")
        await gate.wait()

    job = await work.enqueue()
    async with working(app):
        await until(has_logged(job))
        await app.operator.reclaim(job.id, reason="it hangs")
    assert [line.message for line in await job.logs(attempt=1)] == ["sent"]


@pytest.mark.slow
async def test_a_reader_follows_a_job_to_its_end(app: Holdfast, at_once: None) -> None:
    app.queue("default", logs="all")
    gate = asyncio.Event()

    @app.task()
    async def work() -> None:
        log.warning("first")
        await gate.wait()
        log.warning("last")

    job = await work.enqueue()
    followed: list[str] = []
    async with working(app):
        async for line in job.follow_logs():
            followed.append(line.message)
            gate.set()
    assert followed == ["first", "last"]


async def test_lines_survive_an_outage_and_are_stored_once(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of the first statement is lost: it is sent again."""
    tries: list[int] = []

    async def flaky(on: Any, parts: Any) -> int:
        tries.append(await save_logs(on, parts))
        if len(tries) == 1:
            raise DatabaseUnavailable("gone")
        return tries[-1]

    monkeypatch.setattr(attempt_logs, "save_logs", flaky)

    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("once")
        raise ValueError

    job = await work.enqueue()
    async with working(app):
        await ended(job)

        async def is_sent_again() -> bool:
            return len(tries) == 2

        await until(is_sent_again)
    assert tries == [1, 0]
    assert await said(job) == ["once"]


async def test_lines_that_the_database_refuses_are_dropped_and_reported(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def refused(on: Any, parts: Any) -> int:
        raise InvalidInput("no")

    monkeypatch.setattr(attempt_logs, "save_logs", refused)

    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("never stored")
        raise ValueError

    job = await work.enqueue()
    await drained(app)
    assert await job.status() is State.DEAD
    assert [vars(one)["fields"] for one in caplog.records if "log.parts_dropped" in one.getMessage()] == [
        {"count": 1}
    ]


async def test_a_changed_setting_reaches_a_worker_that_runs(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("working")

    async def is_kept() -> bool:
        await ended(await work.enqueue())
        return bool(await app.database.fetch("select from holdfast.attempt_log_view limit 1"))

    async with working(app):
        await ended(await work.enqueue())
        await app.database.execute("""select holdfast.declare_queue('default', '{"logs": "all"}')""")
        await until(is_kept)


async def test_one_statement_carries_the_lines_of_many_attempts(app: Holdfast, saved: list[int]) -> None:
    started, gate = asyncio.Semaphore(0), asyncio.Event()

    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("working")
        started.release()
        await gate.wait()
        raise ValueError

    jobs = [await work.enqueue() for _ in range(20)]
    async with working(app, slots=20):
        for _ in jobs:
            await started.acquire()
        gate.set()
        for job in jobs:
            await ended(job)
    assert [await said(job) for job in jobs] == [["working"]] * 20
    assert len(saved) <= 5


async def test_the_lines_of_a_child_that_dies_are_kept(
    database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: None
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    gate = tmp_path / "gate"
    async with log_tasks.app as app:
        job = await log_tasks.dies_in_process.enqueue(str(gate))
        async with working(app):
            await until(has_logged(job))
            gate.touch()
            assert (await ended(job)).state is State.DEAD
        assert await said(job) == ["the last words"]
