"""What is kept of an error: sanitised, bounded, and with a mark that alike errors share."""

from holdfast.db.connect import Connection
from tests.builders import attempts_of, fail, letter_of, running_job


async def test_an_attempt_tells_what_where_and_who(conn: Connection) -> None:
    job = await running_job(conn, stage="triage")
    await fail(conn, job, message="no", traceback="the\ntraceback", place="a.py:3 in f", outcome="timed_out")
    (row,) = await attempts_of(conn, job.id)
    assert (row["attempt"], row["outcome"], row["class"], row["counted"]) == (
        1,
        "timed_out",
        "transient",
        True,
    )
    assert (row["error_type"], row["message"], row["place"]) == ("ValueError", "no", "a.py:3 in f")
    assert (row["traceback"], row["stage"]) == ("the\ntraceback", "triage")
    assert (row["worker_id"], row["token"], row["host"]) == (job.worker, job.token, "here")
    assert row["started_at"] <= row["ended_at"] <= row["retry_at"]


async def test_secrets_reach_neither_the_attempt_nor_the_letter(conn: Connection) -> None:
    secret = "hunter2hunter2"
    job = await running_job(conn, max_failures=1)
    text = f"could not connect to postgres://app:{secret}@db/x"
    await fail(conn, job, type=text, message=text, traceback=text, place=text)
    stored = await conn.fetchval(
        """select string_agg(t::text, ' ') from (
             select a::text as t from holdfast.attempts as a
             union all
             select d::text from holdfast.dead_letters as d
           ) as all_text"""
    )
    assert "[redacted]" in stored
    assert secret not in stored


async def test_an_enormous_error_is_cut_and_recorded(conn: Connection) -> None:
    job = await running_job(conn)
    huge = "x ü😀" * 100_000
    await fail(conn, job, type=huge, message=huge, traceback=huge, place=huge)
    (row,) = await attempts_of(conn, job.id)
    assert len(row["message"].encode()) == len(row["traceback"].encode()) == 8192
    assert (len(row["error_type"]), len(row["place"])) == (200, 500)


async def test_alike_errors_share_a_fingerprint(conn: Connection) -> None:
    marks = []
    for message in ["row 5 of 'a' at 0xdeadbeef", "row 77 of 'bcd' at 0x1234", "column 5 of 'a' at 0x1"]:
        job = await running_job(conn, max_failures=1)
        await fail(conn, job, message=message, place="f")
        letter = await letter_of(conn, job.id)
        assert letter is not None
        marks.append(letter["fingerprint"])
    assert marks[0] == marks[1] != marks[2]
