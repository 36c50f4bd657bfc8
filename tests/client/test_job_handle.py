"""Handles: state, output, how a job ended, cancel and replay."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from pydantic import BaseModel

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.db.worker import report_progress, save_checkpoint
from holdfast.model.error import InvalidInput, JobFailed, NotFound, PermissionDenied, Timeout
from holdfast.model.job import JobProgress
from holdfast.model.outcome import Completed, Outcome, Rejected
from holdfast.model.payload import encode
from holdfast.model.queue import CancelResult, ReplayResult
from holdfast.model.state import State
from tests.client.working import DIES, claim, end_all
from tests.patience import PATIENCE


class Answer(BaseModel):
    text: str
    at: datetime


@dataclass
class Score:
    points: int


async def test_a_result_is_of_the_annotated_type(app: Holdfast, db: Database) -> None:
    @app.task()
    async def ask(question: str) -> Answer:
        raise NotImplementedError

    @app.task(queue="scores")
    def score() -> list[Score]:
        raise NotImplementedError

    asked, scored = await ask.enqueue("why?"), await score.enqueue()
    answer = Answer(text="so", at=datetime(2026, 1, 2, tzinfo=UTC))
    await end_all(db, Completed(ask.encode_output(answer)))
    await end_all(db, Completed(score.encode_output([Score(3)])), "scores")
    assert await asked.result(timeout=PATIENCE) == answer
    assert await scored.result(timeout=PATIENCE) == [Score(3)]
    assert await app.job(scored.id).result() == [{"points": 3}]


async def test_progress_is_what_the_handler_reported_last(app: Holdfast, db: Database) -> None:
    @app.task()
    async def count() -> int:
        return 1

    handle = await count.enqueue()
    assert await handle.progress() is None
    _, (job,) = await claim(db)
    for done in (1, 2):
        report = encode({"done": done, "total": 3, "note": f"part {done}"})
        assert await report_progress(db, [job.id], [job.token], [report]) == {}
    progress = await handle.progress()
    assert progress is not None
    assert (progress.done, progress.total, progress.failed, progress.note) == (2, 3, 0, "part 2")
    assert str(replace(progress, rate=None, eta=None)) == "66% 2/3: part 2"
    read = (await app.job(handle.id).job()).progress
    assert read is not None
    assert replace(read, eta=None) == replace(progress, eta=None)


def test_progress_in_words_has_what_is_known_of_it() -> None:
    progress = JobProgress(340, 1000, 2, None, datetime(2026, 1, 2, tzinfo=UTC))
    assert str(progress) == "34% 340/1000, 2 failed"
    known = replace(progress, item="page 34", note="resting", rate=12.0, eta=timedelta(seconds=55))
    assert str(known) == "34% 340/1000, 2 failed, 12/s, 55 s left: resting, page 34"


async def test_checkpoints_can_be_read_by_people(app: Holdfast, db: Database) -> None:
    @app.task()
    async def count() -> int:
        return 1

    handle = await count.enqueue()
    assert await handle.checkpoints() == []
    _, (job,) = await claim(db)
    await save_checkpoint(db, job.id, job.token, "page", encode({"n": 7}))
    (found,) = await handle.checkpoints()
    assert (found.name, found.attempt, found.size, found.value) == ("page", 1, len(found.value), '{"n":7}')


async def test_a_result_is_waited_for(app: Holdfast, db: Database) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    waiting = asyncio.create_task(handle.result(timeout=PATIENCE))
    await asyncio.sleep(0)
    await end_all(db, Completed(encode(42)))
    assert await waiting == 42


async def test_a_job_without_output_has_the_result_none(app: Holdfast, db: Database) -> None:
    @app.task()
    async def ask() -> Answer | None:
        return None

    handle = await ask.enqueue()
    await end_all(db, Completed())
    assert await handle.result() is None


async def test_a_result_that_does_not_come_in_time_is_a_timeout(app: Holdfast) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    with pytest.raises(Timeout) as late:
        await handle.result(timeout="50ms")
    assert late.value.exit_code == 7
    assert str(handle.id) in late.value.message
    with pytest.raises(Timeout):
        await handle.result(timeout=0)


BAD_ENDS = [
    (DIES, State.DEAD, "ValueError: the model said no"),
    (Rejected("not worth it"), State.REJECTED, "not worth it"),
]


@pytest.mark.parametrize(("outcome", "state", "said"), BAD_ENDS)
async def test_a_job_that_did_not_complete_says_how_it_ended(
    app: Holdfast, db: Database, outcome: Outcome, state: State, said: str
) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    await end_all(db, outcome)
    with pytest.raises(JobFailed) as failed:
        await handle.result(timeout=PATIENCE)
    assert failed.value.state is state
    assert said in failed.value.message
    assert failed.value.error == (said if state is State.DEAD else None)
    assert (await handle.job()).reason == failed.value.reason


async def test_a_ready_job_is_cancelled_and_a_running_one_is_asked(app: Holdfast, db: Database) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    assert await handle.cancel("no longer wanted") is CancelResult.CANCELLED
    assert await handle.cancel() is CancelResult.ENDED
    with pytest.raises(JobFailed, match="no longer wanted") as failed:
        await handle.result()
    assert failed.value.state is State.CANCELLED
    running = await ask.enqueue()
    await claim(db)
    assert await running.cancel() is CancelResult.ASKED


async def test_a_job_that_others_hold_right_now_is_cancelled_once_they_let_go(
    app: Holdfast, db: Database
) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    async with db.transaction() as conn:
        await conn.execute("select from holdfast.jobs for update")
        cancelling = asyncio.create_task(handle.cancel())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(cancelling), 0.2)
    assert await cancelling is CancelResult.CANCELLED


async def test_an_ended_job_is_replayed_under_the_same_id(app: Holdfast, db: Database) -> None:
    @app.task()
    async def ask() -> int:
        return 1

    handle = await ask.enqueue()
    assert await handle.replay() is ReplayResult.LIVE
    await end_all(db, DIES)
    assert await handle.replay("it was the model") is ReplayResult.REPLAYED
    await end_all(db, Completed(encode(1)))
    assert await handle.result() == 1


async def test_a_handle_is_made_for_any_id(app: Holdfast) -> None:
    unknown = app.job(str(uuid4()))
    with pytest.raises(NotFound, match=str(unknown.id)):
        await unknown.result()
    assert await unknown.cancel() is CancelResult.NOT_FOUND
    with pytest.raises(InvalidInput, match="An id must be a UUID"):
        app.job("7")


async def test_a_producer_asks_for_the_state_and_not_for_the_job(app: Holdfast, database_url: str) -> None:
    async with Holdfast(f"{database_url}&role=holdfast_producer") as producer:

        @producer.task()
        async def ask() -> int:
            return 1

        handle = await ask.enqueue()
        assert await handle.status() is State.READY
        with pytest.raises(PermissionDenied):
            await handle.job()
        with pytest.raises(NotFound):
            await producer.job(uuid4()).status()
