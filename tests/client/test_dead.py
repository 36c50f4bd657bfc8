"""app.dead: looking at dead letters, and bringing them back."""

import asyncio
import json
import time

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.replay import ReplayReport
from holdfast.db.connect import Database
from holdfast.model.dead_letter import Triage
from holdfast.model.error import InvalidInput, InvalidOption, NotFound, WrongState
from holdfast.model.id import JobId
from holdfast.model.outcome import Completed
from holdfast.model.payload import encode
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State
from tests.client.working import DIES, end_all
from tests.patience import PATIENCE


async def die(app: Holdfast, db: Database, count: int = 1, queue: str = "default") -> list[JobId]:
    """So many jobs that died, oldest first."""
    await db.execute(
        "select holdfast.enqueue_jobs(array['t'], array_fill('{\"n\": 1}'::json, array[$1::int]), $2)",
        count,
        json.dumps({"queue": queue}),
    )
    while await end_all(db, DIES, queue):
        pass
    return [letter.job for letter in await app.dead.find(limit=10_000, queue=queue)][::-1]


async def states(db: Database) -> dict[str, int]:
    rows = await db.fetch("select state, count(*) from holdfast.job_view group by state")
    return {row["state"]: row["count"] for row in rows}


async def test_letters_are_found_shown_written_on_and_resolved(app: Holdfast, db: Database) -> None:
    (job,) = await die(app, db)
    assert await app.dead.note([job], "the model was down") == 1
    assert await app.dead.assign([str(job)], "Ada") == 1
    assert await app.dead.triage([job], Triage.INVESTIGATING) == 1
    sheet = await app.dead.show(job)
    assert (sheet.letter.status, sheet.letter.assignee) == (Triage.INVESTIGATING, "Ada")
    assert [note.note for note in sheet.notes] == ["the model was down"]
    assert [attempt.error_type for attempt in sheet.attempts] == ["ValueError"]
    assert await app.dead.resolve([job], "restarted it") == 1
    assert await app.dead.find(status="open") == []
    assert await app.dead.assign([job], None) == 1
    with pytest.raises(NotFound):
        await app.dead.show("00000000-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInput):
        await app.dead.show("7")


async def test_groups_tell_what_is_alike(app: Holdfast, db: Database) -> None:
    await die(app, db, 3)
    (group,) = await app.dead.groups(error_type="ValueError")
    assert (group.letters, group.error_class) == (3, "permanent")
    assert len(await app.dead.find(fingerprint=group.fingerprint)) == 3


async def test_a_bulk_replay_takes_each_letter_once(app: Holdfast, db: Database) -> None:
    jobs = await die(app, db, 1100)
    told: list[ReplayReport] = []
    report = await app.dead.replay(reason="it is back", on_progress=told.append)
    assert (report.replayed, report.stopped) == (len(jobs), None)
    assert [one.replayed for one in told] == [500, 1000, 1100]
    assert await states(db) == {"ready": 1100}
    assert (await app.dead.replay()).replayed == 0


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)
async def test_a_hundred_thousand_are_replayed_once_each_by_an_interrupted_replay_and_two_more(
    app: Holdfast, db: Database
) -> None:
    await die(app, db, 100_000)

    def interrupt(report: ReplayReport) -> None:
        if report.replayed >= 30_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await app.dead.replay(reason="first", on_progress=interrupt)
    assert (await states(db))["ready"] == 30_000
    reports = await asyncio.gather(app.dead.replay(reason="second"), app.dead.replay(reason="third"))
    assert sum(report.replayed for report in reports) == 70_000
    rows = await db.fetch(
        "select count(*) as all, count(distinct job_id) as jobs from holdfast.events where cause = 'replay'"
    )
    assert (rows[0]["all"], rows[0]["jobs"]) == (100_000, 100_000)


async def test_a_bulk_replay_leaves_alone_what_does_not_fit(app: Holdfast, db: Database) -> None:
    await die(app, db, 2, "a")
    await die(app, db, 3, "b")
    assert (await app.dead.replay(queue="a", limit=1)).replayed == 1
    assert (await app.dead.replay(queue="a")).replayed == 1
    assert await states(db) == {"ready": 2, "dead": 3}


async def test_a_pace_is_kept(app: Holdfast, db: Database) -> None:
    await die(app, db, 5)
    began = time.monotonic()
    report = await app.dead.replay(pace=20)
    assert report.replayed == 5
    assert time.monotonic() - began >= 0.2
    with pytest.raises(InvalidOption):
        await app.dead.replay(pace=0)


async def test_the_rest_follows_a_canary_that_completes(app: Holdfast, db: Database) -> None:
    first, *_ = await die(app, db, 4)
    seen: list[ReplayReport] = []
    replay = asyncio.create_task(app.dead.replay(canary=1, canary_timeout=PATIENCE, on_progress=seen.append))
    while not seen:
        await asyncio.sleep(0.01)
    assert await states(db) == {"ready": 1, "dead": 3}
    assert await end_all(db, Completed(encode(1))) == 1
    report = await replay
    assert (report.replayed, report.canaries, report.stopped) == (4, (first,), None)
    assert (await app.dead.show(first)).letter.outcome is State.COMPLETED


async def test_the_rest_stays_dead_if_the_canary_dies(app: Holdfast, db: Database) -> None:
    first, *_ = await die(app, db, 4)
    replay = asyncio.create_task(app.dead.replay(canary=1, canary_timeout=PATIENCE))
    while await end_all(db, DIES) == 0:
        await asyncio.sleep(0.01)
    report = await replay
    assert (report.replayed, report.canaries) == (1, (first,))
    assert report.stopped == f"The canary {first} ended dead."
    assert await states(db) == {"dead": 4}


async def test_a_canary_that_nobody_runs_stops_the_rest_in_time(app: Holdfast, db: Database) -> None:
    await die(app, db, 2)
    report = await app.dead.replay(canary=1, canary_timeout="50ms")
    assert report.replayed == 1
    assert report.stopped is not None
    assert "did not end" in report.stopped


async def test_an_interrupted_replay_is_resumed_without_doubling_one(app: Holdfast, db: Database) -> None:
    await die(app, db, 30)
    seen: list[ReplayReport] = []
    replay = asyncio.create_task(app.dead.replay(pace=10, on_progress=seen.append))
    while not seen:
        await asyncio.sleep(0.01)
    replay.cancel()
    with pytest.raises(asyncio.CancelledError):
        await replay
    done = seen[-1].replayed
    assert 0 < done < 30
    assert await end_all(db, DIES) == done  # what died again meanwhile is not of this bulk
    report = await app.dead.replay(until=seen[-1].until)
    assert report.replayed == 30 - done
    assert await states(db) == {"ready": 30 - done, "dead": done}
    assert await db.fetch("select from holdfast.dead_letters where replays > 1") == []


async def test_two_replays_at_once_share_the_letters(app: Holdfast, db: Database, database_url: str) -> None:
    await die(app, db, 300)
    async with Holdfast(database_url, name="other") as other:
        reports = await asyncio.gather(app.dead.replay(pace=1000), other.dead.replay(pace=1000))
    assert sum(report.replayed for report in reports) == 300
    assert await db.fetch("select from holdfast.dead_letters where replays <> 1") == []
    assert await states(db) == {"ready": 300}


async def test_a_job_is_replaced_by_one_with_another_payload(app: Holdfast, db: Database) -> None:
    (job,) = await die(app, db)
    handle = await app.dead.replace(job, {"n": 2}, "a typo")
    assert (await handle.job()).payload == {"n": 2}
    assert (await app.dead.show(job)).letter.replaced_by == handle.id
    with pytest.raises(WrongState):
        await app.dead.replace(job, {"n": 3})
    assert await app.job(job).replay() is ReplayResult.REPLACED
    report = await app.dead.replay(status="resolved")
    assert (report.replayed, report.refused) == (0, {ReplayResult.REPLACED: 1})


async def test_letters_are_exported_as_json_lines(app: Holdfast, db: Database) -> None:
    jobs = await die(app, db, 2)
    await app.dead.note([jobs[0]], "seen")
    lines = [json.loads(line) async for line in app.dead.export()]
    assert [line["job"] for line in lines] == [str(job) for job in jobs[::-1]]
    assert lines[1]["notes"][0]["note"] == "seen"
    assert lines[0]["payload"] == {"n": 1}
    assert lines[0]["attempts"][0]["message"] == "the model said no"
