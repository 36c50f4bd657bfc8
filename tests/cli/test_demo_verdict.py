"""The demo's verdict finds every kind of harm; its model server is as flaky as it says."""

import asyncio
from uuid import UUID

import asyncpg
import pytest
from asyncpg import Record

from holdfast.cli.demo.app import Reply, ask
from holdfast.cli.demo.run_demo import FlakyModel
from holdfast.cli.demo.verdict import Verdict, judge
from holdfast.db.connect import Database
from holdfast.model.end_attempt import RateLimited, Retry
from holdfast.model.id import JobId, RunId
from holdfast.testing import ModelServer
from tests.builders import a_sealed_run, a_worker, claim, complete
from tests.patience import PATIENCE


class Scene:
    """A run of three jobs, all completed with the server's answer."""

    def __init__(self, db: Database, conn: "asyncpg.Connection[Record]", run: UUID, jobs: list[UUID]) -> None:
        self.db, self.conn, self.run, self.jobs = db, conn, run, jobs
        self.answers = {f"installation:{job}:1:1:ask": f"answer {job}" for job in jobs}
        self.killed = 1

    async def verdict(self) -> Verdict:
        jobs = [JobId(job) for job in self.jobs]
        return await judge(self.db, RunId(self.run), jobs, self.answers, self.killed)


@pytest.fixture
async def scene(db: Database, database_url: str) -> Scene:
    conn = await asyncpg.connect(database_url)
    run, jobs = await a_sealed_run(conn, 3)
    worker = await a_worker(conn)
    for running in await claim(conn, worker, 3):
        await complete(conn, running, f"answer {running.id}")
    return Scene(db, conn, run, jobs)


async def test_all_is_well_if_every_job_ended_once_with_its_answer(scene: Scene) -> None:
    verdict = await scene.verdict()
    assert verdict.failed == []
    assert verdict.exit_code == 0
    assert verdict.line(7.4) == "demo: 3 of 3 completed, 0 lost, 0 duplicated, 1 worker killed, 7 s"
    assert (verdict.completed, verdict.lost, verdict.duplicated, verdict.wrong) == (3, 0, 0, 0)


async def test_a_job_that_is_gone_is_lost(scene: Scene) -> None:
    await scene.conn.execute("delete from holdfast.history where id = $1", scene.jobs[0])
    verdict = await scene.verdict()
    assert_failed(verdict, "1 not completed", "1 lost")
    assert (verdict.completed, verdict.lost) == (2, 1)


async def test_a_job_that_lives_on_is_lost(scene: Scene) -> None:
    await scene.conn.execute("select holdfast.replay_jobs(array[$1::uuid])", scene.jobs[0])
    verdict = await scene.verdict()
    assert_failed(verdict, "1 not completed", "1 lost", "1 without the model server's answer")
    assert verdict.lost == 1


async def test_a_second_end_is_a_duplicate(scene: Scene) -> None:
    await scene.conn.execute("create temp table copy as select * from holdfast.history limit 1")
    await scene.conn.execute("update copy set ended_at = ended_at + interval '1 second'")
    await scene.conn.execute("insert into holdfast.history select * from copy")
    verdict = await scene.verdict()
    assert_failed(verdict, "1 duplicated")
    assert verdict.duplicated == 1


async def test_a_job_that_nobody_accepted_is_a_duplicate(scene: Scene) -> None:
    scene.jobs.pop()
    verdict = await scene.verdict()
    assert_failed(verdict, "1 duplicated")
    assert verdict.duplicated == 1


async def test_an_output_that_is_not_the_answer_is_wrong(scene: Scene) -> None:
    scene.answers[f"installation:{scene.jobs[0]}:1:1:ask"] = "another answer"
    verdict = await scene.verdict()
    assert_failed(verdict, "1 not completed", "1 without the model server's answer")
    assert (verdict.completed, verdict.wrong) == (2, 1)


async def test_an_answer_that_was_never_delivered_is_wrong(scene: Scene) -> None:
    del scene.answers[f"installation:{scene.jobs[0]}:1:1:ask"]
    assert_failed(await scene.verdict(), "1 not completed", "1 without the model server's answer")


async def test_a_demo_without_a_killed_worker_proves_nothing(scene: Scene) -> None:
    scene.killed = 0
    assert_failed(await scene.verdict(), "no worker was killed")


def assert_failed(verdict: Verdict, *checks: str) -> None:
    """The verdict line, the exit code and the failed checks agree."""
    assert verdict.failed == [*checks]
    assert verdict.exit_code == 1
    assert verdict.line(7.4).endswith(f"; FAILED: {', '.join(checks)}")


async def test_the_model_server_answers_the_same_key_with_the_same_answer() -> None:
    model = FlakyModel()
    async with model.server as server:
        first, second = await persist(server, "key"), await persist(server, "key")
        other = await persist(server, "other key")
        assert first == second
        assert first.text != other.text
        assert model.delivered == {"key": first.text, "other key": other.text}
        assert model.ledger.repeated == {"key": 2}


async def test_the_model_server_fails_and_is_busy_now_and_then_and_the_caller_says_so() -> None:
    signals: set[type[Exception]] = set()
    model = FlakyModel()
    async with model.server as server:
        async with asyncio.timeout(PATIENCE):
            while signals != {Retry, RateLimited}:
                answers = [asyncio.to_thread(ask, server.url, "why?", "key") for _ in range(20)]
                results = await asyncio.gather(*answers, return_exceptions=True)
                signals |= {type(result) for result in results if isinstance(result, Exception)}
        assert max(model.ledger.statuses) >= 500
        assert model.ledger.statuses[429] > 0


async def test_a_server_that_is_gone_is_a_reason_to_try_again() -> None:
    async with ModelServer() as server:
        url = server.url
    with pytest.raises(Retry, match="cannot be reached"):
        await asyncio.to_thread(ask, url, "why?", "key")


async def persist(server: ModelServer, key: str) -> Reply:
    while True:
        try:
            return await asyncio.to_thread(ask, server.url, "why?", key)
        except (Retry, RateLimited):
            continue
