"""What a handler logs is kept with its attempt, as far as its queue wants it."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from holdfast import Holdfast, Snooze
from holdfast.db import logs as db_logs
from holdfast.model.state import State
from tests.worker import log_tasks
from tests.worker.logging_jobs import CUT, drained, log, said
from tests.worker.working import ended, in_state, until, working


@pytest.mark.parametrize("mode", ["loop", "thread"])
async def test_a_failed_attempt_keeps_its_lines(app: Holdfast, mode: str) -> None:
    @app.task(name="loop", max_failures=1)
    async def in_loop() -> None:
        log.warning("before %s", "it")
        await asyncio.sleep(0)
        await asyncio.create_task(in_a_task())
        fails()

    async def in_a_task() -> None:
        log.error("in a task")

    @app.task(name="thread", max_failures=1)
    def in_thread() -> None:
        log.warning("before %s", "it")
        log.error("in a task")
        fails()

    def fails() -> None:
        try:
            raise ValueError("it broke")
        except ValueError:
            log.exception("caught")
            raise

    job = await app.tasks[mode].enqueue()
    await drained(app)
    first, second, third = await job.logs()
    assert (first.attempt, first.level, first.logger, first.message) == (1, "WARNING", "shop", "before it")
    assert (second.level, second.message) == ("ERROR", "in a task")
    assert third.message.startswith("caught\nTraceback (most recent call last):\n")
    assert third.message.endswith("\nValueError: it broke")


async def test_a_thread_pool_that_copies_the_context_logs_for_its_attempt(app: Holdfast) -> None:
    @app.task(max_failures=1)
    def work() -> None:
        with ThreadPoolExecutor() as pool:
            pool.submit(copy_context().run, log.warning, "with its context").result()
            pool.submit(log.warning, "without").result()
        raise ValueError

    job = await work.enqueue()
    await drained(app)
    assert await said(job) == ["with its context"]


@pytest.mark.parametrize(("keeps", "good", "bad"), [("off", 0, 0), ("errors", 0, 1), ("all", 1, 1)])
async def test_a_queue_says_which_logs_it_keeps(app: Holdfast, keeps: str, good: int, bad: int) -> None:
    app.queue("default", logs=keeps)

    @app.task(max_failures=1)
    async def work(fails: bool) -> None:
        log.warning("working")
        if fails:
            raise ValueError

    jobs = [await work.enqueue(False), await work.enqueue(True)]
    await drained(app)
    assert [len(await job.logs()) for job in jobs] == [good, bad]


async def test_each_attempt_has_its_own_log(app: Holdfast) -> None:
    seen: list[int] = []

    @app.task(retry={"delays": [0, 0]}, max_failures=3)
    async def work() -> None:
        seen.append(1)
        log.warning("try %s", len(seen))
        raise ValueError

    job = await work.enqueue()
    await drained(app)
    assert [(line.attempt, line.message) for line in await job.logs()] == [
        (1, "try 1"),
        (2, "try 2"),
        (3, "try 3"),
    ]
    assert [line.message for line in await job.logs(attempt=2)] == ["try 2"]


async def test_a_snooze_is_no_error(app: Holdfast) -> None:
    @app.task()
    async def work() -> None:
        log.warning("not yet")
        raise Snooze("1h")

    job = await work.enqueue()
    async with working(app):
        await until(in_state(job, State.SCHEDULED))
    assert await said(job) == []


async def test_secrets_are_removed(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("calling with api_key=%s", "sk-abcdef0123456789abcdef")
        raise ValueError

    job = await work.enqueue()
    await drained(app)
    (message,) = await said(job)
    assert "[redacted]" in message
    assert "abcdef0123456789" not in message


async def test_records_outside_attempts_and_of_holdfast_are_not_kept(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work() -> None:
        logging.getLogger("holdfast.worker").warning("ours")
        raise ValueError

    async with working(app):
        job = await work.enqueue()
        log.warning("outside")
        await ended(job)
    assert await said(job) == []
    assert await app.database.fetch("select from holdfast.attempt_log_view") == []


async def test_two_workers_of_a_process_keep_a_line_once(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("once")
        raise ValueError

    job = await work.enqueue()
    async with working(app), working(app, "other"):
        await ended(job)
    assert await said(job) == ["once"]


async def test_a_worker_leaves_the_root_logger_as_it_was(app: Holdfast) -> None:
    before = list(logging.getLogger().handlers)
    await drained(app)
    assert logging.getLogger().handlers == before


async def test_in_a_child_process(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with log_tasks.app as app:
        job, storm = await log_tasks.fails_in_process.enqueue(), await log_tasks.storms_in_process.enqueue()
        await app.database.execute("""select holdfast.declare_queue('default', '{"logs": "all"}')""")
        await drained(app)
        assert await said(job) == ["from the child", "from its thread"]
        lines = await said(storm)
        assert (lines[0][:7], lines[-1]) == ("line 0 ", CUT)


async def test_the_size_of_all_logs_is_known(app: Holdfast) -> None:
    @app.task(max_failures=1)
    async def work() -> None:
        log.warning("x" * 100)
        raise ValueError

    await work.enqueue()
    await drained(app)
    assert (await db_logs.storage(app.database)).bytes == 100 + len("shop") + 32
