"""What a handler logs carries its job: on the loop, in a thread, and in a child process."""

import logging

import pytest

from holdfast import Holdfast, JobLogFilter
from tests.worker import process_tasks as tasks
from tests.worker.working import ended, working


@pytest.mark.parametrize("mode", ["loop", "thread"])
async def test_a_record_of_a_handler_carries_its_job(
    app: Holdfast, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    log = logging.getLogger("shop")
    caplog.handler.addFilter(JobLogFilter())

    @app.task(name="loop")
    async def in_loop() -> None:
        log.warning("working")

    @app.task(name="thread")
    def in_thread() -> None:
        log.warning("working")

    job = await app.tasks[mode].enqueue()
    async with working(app):
        await ended(job)
    (record,) = [one for one in caplog.records if one.name == "shop"]
    known = vars(record)
    assert (known["job"], known["task"], known["attempt"]) == (job.id, mode, 1)
    log.warning("outside")
    assert vars(caplog.records[-1])["job"] is None


async def test_in_a_child_process(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    async with tasks.app as app:
        job = await tasks.logged_as.enqueue()
        async with working(app):
            assert (await ended(job)).output == [str(job.id), "logged_as", "1"]
