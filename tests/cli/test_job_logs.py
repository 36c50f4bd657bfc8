"""`holdfast jobs logs` and `holdfast jobs limit-logs`."""

import re
from uuid import uuid4

import pytest

from holdfast.client import log_follower
from holdfast.db.connect import Connection
from tests.builders import claim_one, complete, fail, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given
from tests.sql.logs import line, save


async def two_attempts(conn: Connection) -> str:
    job = await running_job(conn, retry=[0])
    await save(conn, job, line("first\nline\x1b[2J", "ERROR", "shop.cart"))
    await fail(conn, job)
    again = await claim_one(conn, job.worker)
    await save(conn, again, "second", "third")
    await complete(conn, again)
    return str(job.id)


def test_lines_are_printed_by_attempt(database_url: str) -> None:
    job = given(database_url, two_attempts)
    shown = holdfast("jobs", "logs", job, url=database_url, TZ="UTC").lines
    assert [re.sub(r"^\S+ \S+ (?=[A-Z])", "AT ", text) for text in shown] == [
        "attempt 1",
        "AT ERROR   shop.cart: first",
        "    line\\x1b[2J",
        "",
        "attempt 2",
        "AT INFO    shop: second",
        "AT INFO    shop: third",
    ]
    assert "2030-01-31" in shown[1]
    one = holdfast("jobs", "logs", job[-12:], "--attempt", "2", url=database_url).lines
    assert one[0] == "attempt 2"
    assert len(one) == 3


def test_json_has_the_lines_by_attempt(database_url: str) -> None:
    job = given(database_url, two_attempts)
    shown = holdfast("jobs", "logs", job, "--json", url=database_url).document
    assert shown["job"] == job
    assert [(one["attempt"], len(one["lines"])) for one in shown["attempts"]] == [(1, 1), (2, 2)]
    assert shown["attempts"][0]["lines"][0] == {
        "at": "2030-01-31T09:00:00.123000Z",
        "level": "ERROR",
        "logger": "shop.cart",
        "message": "first\nline\x1b[2J",
    }


def test_show_says_that_there_are_logs(database_url: str) -> None:
    job = given(database_url, two_attempts)
    sheet = holdfast("jobs", "show", job, url=database_url, COLUMNS="160").out
    assert re.search(rf"^logs +3 lines of 2 attempts \(holdfast jobs logs {job}\)$", sheet, re.MULTILINE)
    document = holdfast("jobs", "show", job, "--json", url=database_url).document
    assert document["logs"] == [{"attempt": 1, "lines": 1}, {"attempt": 2, "lines": 2}]


def test_follow_ends_with_the_job(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_follower, "PAUSE", log_follower.PAUSE / 10)
    job = given(database_url, two_attempts)
    followed = holdfast("jobs", "logs", job, "-f", url=database_url)
    assert followed.code == 0
    assert followed.lines == holdfast("jobs", "logs", job, url=database_url).lines


def test_what_cannot_be_shown_is_said(database_url: str) -> None:
    job = holdfast("enqueue", "greet", url=database_url).out.strip()
    none = holdfast("jobs", "logs", job, url=database_url)
    assert (none.code, none.out) == (0, "")
    assert "logs=all" in none.err
    assert holdfast("jobs", "logs", str(uuid4()), url=database_url).code != 0
    assert holdfast("jobs", "logs", str(uuid4()), "-f", url=database_url).code != 0
    both = holdfast("jobs", "logs", job, "-f", "--json", url=database_url)
    assert "leave out one of them" in both.err


def test_a_viewer_may_read_logs_and_a_producer_may_not(database_url: str) -> None:
    job = given(database_url, two_attempts)
    assert holdfast("jobs", "logs", job, url=f"{database_url}&role=holdfast_viewer").lines[0] == "attempt 1"
    refused = holdfast("jobs", "logs", job, url=f"{database_url}&role=holdfast_producer")
    assert (refused.code != 0, refused.out) == (True, "")


def test_the_limit_of_all_logs_is_set_and_doctor_says_when_it_was_reached(database_url: str) -> None:
    def finding() -> tuple[str, str]:
        found = holdfast("doctor", "--json", url=database_url).document["findings"]
        return next((one["level"], one["message"]) for one in found if one["check"] == "logs")

    job = given(database_url, two_attempts)
    assert finding() == ("ok", "logs of handlers take 0.0 of 1024.0 MiB")
    assert holdfast("jobs", "limit-logs", "60B", "--reason", "small disk", url=database_url).code == 0
    given(database_url, lambda conn: conn.fetchval("select holdfast.prune_logs()"))
    level, message = finding()
    assert (level, "reached their limit" in message) == ("note", True)
    assert holdfast("jobs", "logs", job, url=database_url).lines == []


def test_a_queue_is_set_by_the_command(database_url: str) -> None:
    assert holdfast("queues", "set", "mail", "logs=all", url=database_url).code == 0
    assert holdfast("queues", "show", "mail", "--json", url=database_url).document["logs"] == "all"
    assert holdfast("queues", "set", "mail", "logs=some", url=database_url).code != 0
