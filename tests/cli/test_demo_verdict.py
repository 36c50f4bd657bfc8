"""The demo's judge sees every kind of harm; its model server is as flaky as it says."""

import asyncio
from uuid import UUID

import asyncpg
import pytest
from asyncpg import Record

from holdfast.cli.demo.ask import Reply, ask
from holdfast.cli.demo.model_server import Ledger, ModelServer
from holdfast.cli.demo.verdict import Verdict, judge
from holdfast.db.connect import Database
from holdfast.model.id import JobId, RunId
from holdfast.model.signal import RateLimited, Retry
from tests.builders import a_sealed_run, a_worker, claim, complete
from tests.patience import PATIENCE


class Scene:
    """A run of three jobs, all completed with the server's answer."""

    def __init__(self, db: Database, conn: "asyncpg.Connection[Record]", run: UUID, jobs: list[UUID]) -> None:
        self.db, self.conn, self.run, self.jobs = db, conn, run, jobs
        self.ledger = Ledger(answers={f"installation:{job}:1:1:ask": f"answer {job}" for job in jobs})

    async def verdict(self) -> Verdict:
        return await judge(self.db, RunId(self.run), [JobId(job) for job in self.jobs], self.ledger)


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
    assert verdict.is_good
    assert (verdict.completed, verdict.lost, verdict.duplicated, verdict.wrong) == (3, 0, 0, 0)


async def test_a_job_that_is_gone_is_lost(scene: Scene) -> None:
    await scene.conn.execute("delete from holdfast.history where id = $1", scene.jobs[0])
    verdict = await scene.verdict()
    assert not verdict.is_good
    assert (verdict.completed, verdict.lost) == (2, 1)


async def test_a_job_that_lives_on_is_lost(scene: Scene) -> None:
    await scene.conn.execute("select holdfast.replay_jobs(array[$1::uuid])", scene.jobs[0])
    verdict = await scene.verdict()
    assert not verdict.is_good
    assert verdict.lost == 1


async def test_a_second_end_is_a_duplicate(scene: Scene) -> None:
    await scene.conn.execute("create temp table copy as select * from holdfast.history limit 1")
    await scene.conn.execute("update copy set ended_at = ended_at + interval '1 second'")
    await scene.conn.execute("insert into holdfast.history select * from copy")
    verdict = await scene.verdict()
    assert not verdict.is_good
    assert verdict.duplicated == 1


async def test_a_job_that_nobody_accepted_is_a_duplicate(scene: Scene) -> None:
    scene.jobs.pop()
    verdict = await scene.verdict()
    assert not verdict.is_good
    assert verdict.duplicated == 1


async def test_an_output_that_is_not_the_answer_is_wrong(scene: Scene) -> None:
    scene.ledger.answers[f"installation:{scene.jobs[0]}:1:1:ask"] = "another answer"
    verdict = await scene.verdict()
    assert not verdict.is_good
    assert (verdict.completed, verdict.wrong) == (2, 1)


async def test_the_model_server_answers_the_same_key_with_the_same_answer() -> None:
    async with ModelServer() as server:
        first, second = await persist(server, "key"), await persist(server, "key")
        other = await persist(server, "other key")
        assert first == second
        assert first.text != other.text
        assert server.ledger.answers["key"] == first.text
        assert server.ledger.calls.total() == server.ledger.statuses.total()


async def test_the_model_server_fails_and_is_busy_now_and_then_and_the_caller_says_so() -> None:
    signals: set[type[Exception]] = set()
    async with ModelServer() as server:
        async with asyncio.timeout(PATIENCE):
            while signals != {Retry, RateLimited}:
                answers = [asyncio.to_thread(ask, server.url, "why?", "key") for _ in range(20)]
                results = await asyncio.gather(*answers, return_exceptions=True)
                signals |= {type(result) for result in results if isinstance(result, Exception)}
        assert server.ledger.statuses[500] > 0
        assert server.ledger.statuses[429] > 0


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
