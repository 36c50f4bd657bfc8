"""Lists of dead letters: newest first, by filter, paged by key."""

from typing import Any

import pytest

from holdfast.db import dead
from holdfast.db.connect import Connection
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from tests.builders import an_open_run, dead_job, fail, ready_job, refusal, replay, running_job


async def found(conn: Connection, **filters: Any) -> list[Any]:
    return [letter.job for letter in (await dead.find_letters(conn, filters)).items]


async def test_letters_come_newest_first_and_page_by_page(conn: Connection) -> None:
    died = [(await dead_job(conn, queue="a")).id for _ in range(5)]
    page = await dead.find_letters(conn, {}, limit=2)
    seen = [letter.job for letter in page.items]
    while page.next is not None:
        page = await dead.find_letters(conn, {}, page.next, limit=2)
        seen += [letter.job for letter in page.items]
    assert seen == died[::-1]


async def test_each_key_of_a_filter_chooses(conn: Connection) -> None:
    run = await an_open_run(conn)
    one = await dead_job(conn, "out of memory", queue="a", task="x", run=run)
    await dead_job(conn, "no such file", queue="b", task="y")
    letter = await dead.get_letter(conn, JobId(one.id))
    assert letter is not None
    await dead.triage_letters(conn, [JobId(one.id)], Triage.INVESTIGATING, "Ada", None, "Ada")
    for filters in (
        {"queue": "a"},
        {"task": "x"},
        {"run": str(run)},
        {"fingerprint": letter.fingerprint},
        {"status": "investigating"},
        {"assignee": "Ada"},
    ):
        assert await found(conn, **filters) == [one.id], filters
    assert len(await found(conn, reason="permanent")) == 2
    assert await found(conn, **{"class": "transient"}) == []
    assert await found(conn, error_type="KeyError") == []
    assert len(await found(conn, assignee=None)) == 1


async def test_times_of_death_bound_the_list(conn: Connection) -> None:
    old = await dead_job(conn)
    middle = (await conn.fetchval("select holdfast.now()")).isoformat()
    new = await dead_job(conn)
    assert await found(conn, since=middle) == [new.id]
    assert await found(conn, until=middle) == [old.id]


async def test_a_job_that_lives_again_is_not_listed_but_its_letter_is_kept(conn: Connection) -> None:
    job = await dead_job(conn)
    await replay(conn, job.id)
    assert await found(conn) == []
    sheet = await dead.get_sheet(conn, JobId(job.id))
    assert sheet is not None
    assert (sheet.letter.replays, sheet.letter.replayed_by) == (1, "Ada")
    assert [attempt.message for attempt in sheet.attempts] == ["it broke"]


async def test_the_whole_error_history_and_the_notes_are_on_the_sheet(conn: Connection) -> None:
    job = await running_job(conn, retry={"delays": [0]})
    await fail(conn, job, message="first")
    await conn.execute("select holdfast.promote_jobs()")
    (again,) = await conn.fetch("select * from holdfast.claim_jobs($1, 1)", job.worker)
    assert await fail(conn, type(job)(job.id, again["token"], job.worker, 2), message="second")
    assert await dead.note_letters(conn, [JobId(job.id)], "asked the vendor, password=hunter2", "Ada") == 1
    sheet = await dead.get_sheet(conn, JobId(job.id))
    assert sheet is not None
    assert [attempt.message for attempt in sheet.attempts] == ["second", "first"]
    assert sheet.letter.reason == "failed_too_often"
    (note,) = sheet.notes
    assert (note.author, note.note) == ("Ada", "asked the vendor, password=[redacted]")


async def test_a_job_that_never_ran_dies_of_its_reason(conn: Connection) -> None:
    job = await ready_job(conn)
    await conn.execute("update holdfast.jobs set deadline = now() - interval '1 minute' where id = $1", job)
    await conn.execute("select holdfast.rescue_jobs()")
    letter = await dead.get_letter(conn, JobId(job))
    assert letter is not None
    assert (letter.reason, letter.fingerprint, letter.error_type) == (
        "deadline_passed",
        "deadline_passed",
        None,
    )
    assert await found(conn, fingerprint="deadline_passed") == [job]


async def test_an_error_of_an_earlier_life_is_not_what_a_job_died_of(conn: Connection) -> None:
    job = await dead_job(conn)
    await replay(conn, job.id)
    await conn.execute(
        "update holdfast.jobs set deadline = now() - interval '1 minute' where id = $1", job.id
    )
    await conn.execute("select holdfast.rescue_jobs()")
    letter = await dead.get_letter(conn, JobId(job.id))
    assert letter is not None
    assert (letter.reason, letter.message) == ("deadline_passed", None)


async def test_notes_go_with_the_job_that_is_forgotten(conn: Connection) -> None:
    job = await dead_job(conn)
    await dead.note_letters(conn, [JobId(job.id)], "seen", "Ada")
    await conn.execute("select holdfast.forget_jobs($1)", [job.id])
    assert await conn.fetchval("select count(*) from holdfast.dead_letter_notes") == 0


@pytest.mark.parametrize("filters", ['{"quue": "a"}', '{"run": "x"}', '{"since": "soon"}', "[]", None])
async def test_a_filter_that_would_match_too_much_is_refused(conn: Connection, filters: str | None) -> None:
    for verb in ("find_dead_letters", "dead_letter_groups", "replay_dead_letters"):
        error = await refusal(conn, f"select holdfast.{verb}($1)", filters)
        assert error.sqlstate == "HF002", verb
