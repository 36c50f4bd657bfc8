"""Dead letters are found, grouped, triaged, noted, replayed and replaced."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    letter_of,
    ready_job,
    refusal,
    rejected_job,
    state_of,
    the_job,
    to_json,
)
from tests.sql.conftest import Clock

FIND = "select job_id, died_at from holdfast.find_dead_letters($1, $2, $3, $4)"
TRIAGE = "select holdfast.triage_dead_letters($1, $2, $3, 'looked', 'Ada')"
REPLAY = "select * from holdfast.replay_dead_letters($1, $2, 'again', 'Ada')"
REPLACE = "select holdfast.replace_job($1, $2, 'typo', 'Ada')"


async def found(conn: Connection, **filters: Any) -> list[UUID]:
    return [row["job_id"] for row in await conn.fetch(FIND, to_json(filters), None, None, 100)]


async def test_filters_narrow_the_list(conn: Connection, clock: Clock) -> None:
    a = await dead_job(conn, queue="a", task="x", message="first")
    await clock.advance(timedelta(minutes=5))
    between = await clock.now()
    await clock.advance(timedelta(minutes=5))
    b = await dead_job(conn, queue="b", message="second")
    await conn.execute(TRIAGE, [b.id], "ignored", "Grace")
    letter = await letter_of(conn, a.id)
    assert letter is not None
    cases: list[tuple[dict[str, Any], list[UUID]]] = [
        ({}, [a.id, b.id]),
        ({"queue": "a"}, [a.id]),
        ({"task": "x"}, [a.id]),
        ({"reason": "permanent", "class": "permanent"}, [a.id, b.id]),
        ({"fingerprint": letter["fingerprint"]}, [a.id]),
        ({"status": "ignored"}, [b.id]),
        ({"assignee": "Grace"}, [b.id]),
        ({"since": between}, [b.id]),
        ({"until": between}, [a.id]),
        ({"queue": "a", "status": "ignored"}, []),
        ({"run": uuid4()}, []),
    ]
    for filters, letters in cases:
        assert await found(conn, **filters) == letters, filters


@pytest.mark.parametrize("filters", [{"quue": "a"}, {"run": "x"}, {"since": "soon"}, [], None])
async def test_a_filter_that_would_match_too_much_is_refused(conn: Connection, filters: Any) -> None:
    for statement in (
        "select holdfast.find_dead_letters($1)",
        "select holdfast.dead_letter_groups($1)",
        "select holdfast.replay_dead_letters($1)",
    ):
        error = await refusal(conn, statement, None if filters is None else to_json(filters))
        assert error.sqlstate == "HF002", statement


async def test_pages_come_oldest_first_and_miss_nothing(conn: Connection) -> None:
    letters = [(await dead_job(conn)).id for _ in range(7)]
    seen: list[UUID] = []
    after: tuple[Any, Any] = (None, None)
    while rows := await conn.fetch(FIND, "{}", *after, 3):
        seen += [row["job_id"] for row in rows]
        after = (rows[-1]["died_at"], rows[-1]["job_id"])
    assert seen == letters


async def test_alike_letters_form_a_group_with_its_trend(conn: Connection, clock: Clock) -> None:
    for n in range(3):
        await dead_job(conn, message=f"row {n} failed", task="a")
    await clock.advance(timedelta(minutes=90))
    last = await dead_job(conn, message="row 77 failed", task="b")
    other = await dead_job(conn, message="something else")
    first, second = await conn.fetch("select * from holdfast.dead_letter_groups()")
    assert (first["letters"], first["open"], first["last_hour"], first["hour_before"]) == (4, 4, 1, 3)
    assert (first["tasks"], first["sample"], first["message"]) == (["a", "b"], last.id, "row 77 failed")
    assert (second["letters"], second["sample"]) == (1, other.id)


async def test_triage_sets_what_is_given_and_keeps_the_rest(conn: Connection) -> None:
    job = await dead_job(conn)
    assert [row[0] for row in await conn.fetch(TRIAGE, [job.id, uuid4()], "investigating", "Grace")] == [
        job.id
    ]
    await conn.execute(TRIAGE, [job.id], None, None)
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["status"], letter["assignee"]) == ("investigating", "Grace")
    await conn.execute(TRIAGE, [job.id], "open", "")
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["status"], letter["assignee"]) == ("open", None)
    events = await conn.fetch("select actor, reason from holdfast.events where cause = 'triage'")
    assert [tuple(event) for event in events] == [("Ada", "looked")] * 3
    assert (await refusal(conn, TRIAGE, [job.id], "solved", None)).sqlstate == "HF002"


async def test_a_note_is_kept_without_secrets(conn: Connection) -> None:
    job = await dead_job(conn)
    note = "select holdfast.note_dead_letters($1, $2, 'Ada')"
    assert await conn.fetchval(note, [job.id, uuid4()], "password=hunter2 was wrong") == 1
    (row,) = await conn.fetch("select * from holdfast.dead_letter_notes")
    assert (row["job_id"], row["author"], row["note"]) == (job.id, "Ada", "password=[redacted] was wrong")
    for empty in (None, "", "  "):
        assert (await refusal(conn, note, [job.id], empty)).sqlstate == "HF002"


async def test_letters_are_replayed_in_batches_oldest_first_and_none_twice(conn: Connection) -> None:
    letters = [(await dead_job(conn, queue="a")).id for _ in range(5)]
    other = await dead_job(conn, queue="b")
    await conn.execute(TRIAGE, [letters[0]], "ignored", None)
    batches = []
    while rows := await conn.fetch(REPLAY, to_json({"queue": "a"}), 3):
        assert {row["result"] for row in rows} == {"replayed"}
        batches.append({row["job_id"] for row in rows})
    assert batches == [set(letters[1:4]), {letters[4]}]
    assert [await state_of(conn, job) for job in (letters[0], letters[1], other.id)] == [
        "dead",
        "ready",
        "dead",
    ]
    rows = await conn.fetch(REPLAY, to_json({"status": "ignored"}), 10)
    assert [row["job_id"] for row in rows] == [letters[0]]


async def test_a_letter_tells_how_its_replay_ended(conn: Connection) -> None:
    job = await dead_job(conn)
    await conn.execute(REPLAY, "{}", 1)
    await complete(conn, await claim_one(conn, job.worker))
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["outcome"], letter["replayed_by"], letter["replays"]) == ("completed", "Ada", 1)
    assert await found(conn) == []


async def test_a_job_is_replaced_by_one_with_another_payload(conn: Connection) -> None:
    job = await dead_job(
        conn, payload={"a": 1}, priority=7, labels={"l": 1}, group="g", endpoint="e", retry=[5],
        max_failures=9, worker=await a_worker(conn, group="g"),
    )  # fmt: skip
    new = await conn.fetchval(REPLACE, job.id, '{"a": 2}')
    old_row, new_row = await the_job(conn, job.id), await the_job(conn, new)
    assert (json.loads(old_row["payload"]), old_row["state"]) == ({"a": 1}, "dead")
    assert (json.loads(new_row["payload"]), new_row["state"]) == ({"a": 2}, "ready")
    for column in ("task", "queue", "priority", "labels", "group", "endpoint", "retry", "max_failures"):
        assert new_row[column] == old_row[column], column
    letter = await letter_of(conn, job.id)
    assert letter is not None
    assert (letter["replaced_by"], letter["status"]) == (new, "resolved")
    assert (await refusal(conn, REPLACE, job.id, "{}")).sqlstate == "HF005"


async def test_only_a_bad_end_can_be_replaced(conn: Connection) -> None:
    assert (await refusal(conn, REPLACE, uuid4(), "{}")).sqlstate == "HF004"
    assert (await refusal(conn, REPLACE, await ready_job(conn, queue="q"), "{}")).sqlstate == "HF005"
    assert (await refusal(conn, REPLACE, (await completed_job(conn)).id, "{}")).sqlstate == "HF005"
    rejected = await rejected_job(conn)
    assert (await refusal(conn, REPLACE, rejected.id, '"\\u0000"')).sqlstate == "HF001"
    assert await state_of(conn, await conn.fetchval(REPLACE, rejected.id, "{}")) == "ready"


async def test_a_letter_of_a_job_that_dies_again_is_one_letter(conn: Connection) -> None:
    job = await dead_job(conn)
    for _ in range(3):
        await conn.execute(REPLAY, "{}", 1)
        await fail(conn, await claim_one(conn, job.worker), "permanent")
    assert await found(conn) == [job.id]
