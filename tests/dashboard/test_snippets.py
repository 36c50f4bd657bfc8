"""What a page offers to copy runs as it is, with any payload, and stores the same job."""

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.dashboard.job.snippets import enqueue_snippets, read_snippets, sql_text
from holdfast.db import jobs
from holdfast.db.connect import Connection
from holdfast.model.id import JobId
from holdfast.model.job import Job, JobDetails
from tests.builders import ready_job
from tests.dashboard.hostile import HOSTILE
from tests.stage_builders import a_pipeline

NASTY = {
    "quotes": "it's \"quoted\" `whoami` $(whoami) $HOME !! \\ \\' ' -- ; drop table x; /* */ $$ $1 %s {0}",
    "lines": "one\ntwo\r\n\ttabbed",
    "steering": "\x1b[31m\u202e\u2066\ufeff\x7f",
    "number": 12345678901234567890,
    "float": 0.1,
    "nested": [None, True, {"": [[]]}],
    "hostile": HOSTILE,
    "emoji": "👩‍💻",
}
LABELS = {"number": "5", "text": "it's", "truth": True, "json": '{"a": 1}', "odd name": "\u202e", "n": 5}
# Stands for the command: prints its arguments, each ended by a character that no argument has.
SHOW = "{}() {{ printf '%s\\001' \"$@\"; }}\n"


async def a_job(conn: Connection, **options: Any) -> tuple[Job, JobDetails]:
    found = JobId(await ready_job(conn, **options))
    job, details = await jobs.get_job(conn, found), await jobs.get_details(conn, found)
    assert job is not None
    assert details is not None
    return job, details


def texts(job: Job, details: JobDetails, is_scoped: bool = False) -> dict[str, str]:
    return {one.words: one.text for one in enqueue_snippets(job, details, is_scoped)}


def arguments(command: str, text: str) -> list[str]:
    """Of the command when a shell runs the text."""
    subprocess.run(["sh", "-n"], input=text, check=True, text=True)
    environment = {"API": "http://api", "KEY": "hfk_secret"}
    ran = subprocess.run(
        ["sh"], input=SHOW.format(command) + text, check=True, capture_output=True, text=True, env=environment
    )
    return ran.stdout.split("\x01")[:-1]


@pytest.mark.parametrize("payload", [NASTY, HOSTILE, -5, None, [], {"@": "-"}])
async def test_the_sql_stores_the_same_job(conn: Connection, payload: Any) -> None:
    job, details = await a_job(
        conn,
        task="it's",
        queue="q'ueue",
        payload=payload,
        labels=LABELS,
        timeout=90,
        order_key="a\\'b",
        group="g",
    )
    for setting in ("on", "off"):
        await conn.execute(f"set local standard_conforming_strings = {setting}")
        await conn.execute("set local escape_string_warning = off")
        new = await jobs.get_job(conn, await conn.fetchval(texts(job, details)["SQL"]))
        assert new is not None
        for name in ("task", "queue", "payload", "labels", "timeout", "order_key", "group", "priority"):
            assert getattr(new, name) == getattr(job, name), name


@pytest.mark.parametrize("payload", [NASTY, HOSTILE, -5, None])
async def test_the_shell_gives_curl_the_same_job(conn: Connection, payload: Any) -> None:
    job, details = await a_job(conn, task="it's", queue="mail", payload=payload, labels=LABELS)
    said = arguments("curl", texts(job, details)["curl"])
    assert said[:5] == ["-X", "POST", "http://api/api/v1/jobs", "-H", "Authorization: Bearer hfk_secret"]
    assert said[-2] == "--data-binary"
    sent = json.loads(said[-1])
    assert sent == {"task": "it's", "payload": payload, "queue": "mail", "priority": 50, "labels": LABELS}


@pytest.mark.parametrize("payload", [NASTY, HOSTILE, -5, None])
async def test_the_shell_gives_the_command_line_the_same_job(conn: Connection, payload: Any) -> None:
    job, details = await a_job(conn, task="-task", queue="-q u", payload=payload, labels=LABELS)
    said = arguments("holdfast", texts(job, details)["Command line"])
    assert said[:3] == ["enqueue", "--queue=-q u", "--priority=50"]
    assert said[-3:-1] == ["--", "-task"]
    assert json.loads(said[-1]) == payload
    labels = dict(one.removeprefix("--label=").split("=", 1) for one in said[3:-3])
    assert labels["number"] == '"5"', "a text that looks like a number stays a text"
    assert (labels["n"], labels["truth"], labels["text"]) == ("5", "true", "it's")


async def test_python_calls_the_task_with_the_payload(conn: Connection) -> None:
    job, details = await a_job(conn, task="send", payload=NASTY, labels=LABELS)
    called: dict[str, Any] = {}

    class Task:
        def find_task(self, name: str) -> "Task":
            called["task"] = name
            return self

        def options(self, **options: Any) -> "Task":
            called["options"] = options
            return self

        def enqueue(self, **payload: Any) -> None:
            called["payload"] = payload

    text = texts(job, details)["Python"].removeprefix("await ")
    eval(text, {"app": Task()})  # what a person runs
    assert called == {
        "task": "send",
        "options": {"queue": "default", "priority": 50, "labels": LABELS},
        "payload": NASTY,
    }


async def test_nothing_that_a_terminal_obeys_is_offered(conn: Connection) -> None:
    job, details = await a_job(conn, task="send", order_key="\x1b]0;title\x07")
    assert texts(job, details).keys() == {"curl", "Python"}, "which can escape it"
    unwritable = replace(job, order_key=None, labels={"a=b": 1})
    assert "Command line" not in texts(unwritable, details)


async def test_a_key_with_a_scope_names_no_endpoint_and_no_group(conn: Connection) -> None:
    job, details = await a_job(conn, task="send", endpoint="model", group="gpu")
    assert "model" in texts(job, details)["curl"]
    scoped = texts(job, details, is_scoped=True)["curl"]
    assert "model" not in scoped
    assert "gpu" not in scoped


async def test_a_job_of_a_pipeline_goes_to_its_stage(conn: Connection) -> None:
    await a_pipeline(conn, "line", ["a", "b"])
    job, details = await a_job(conn, pipeline="line", stage="b", payload={"it's": 1})
    (snippet,) = enqueue_snippets(job, details)
    new = await jobs.get_job(conn, await conn.fetchval(snippet.text))
    assert new is not None
    assert (new.stage, new.queue, new.payload) == ("b", "line.b", {"it's": 1})


@pytest.mark.parametrize(("payload", "is_hidden"), [("x" * 100_000, False), ({"password": "it's"}, True)])
@pytest.mark.parametrize("options", [{}, {"pipeline": "line", "stage": "b"}])
async def test_a_payload_that_is_long_or_hidden_is_read_from_the_job(
    conn: Connection, payload: Any, is_hidden: bool, options: dict[str, Any]
) -> None:
    await a_pipeline(conn, "line", ["a", "b"])
    job, details = await a_job(conn, payload=payload, **options)
    (snippet,) = enqueue_snippets(job, details, is_hidden=is_hidden)
    assert len(snippet.text) < 500
    assert "password" not in snippet.text
    new = await jobs.get_job(conn, await conn.fetchval(snippet.text))
    assert new is not None
    assert (new.payload, new.queue, new.stage) == (payload, job.queue, job.stage)


async def test_a_job_is_read_by_each_of_them(conn: Connection, app: Holdfast) -> None:
    job, _ = await a_job(conn)
    found = {one.words: one.text for one in read_snippets(job)}
    assert arguments("holdfast", found["Command line"]) == ["jobs", "show", str(job.id)]
    assert arguments("curl", found["curl"])[0] == f"http://api/api/v1/jobs/{job.id}"
    row = await conn.fetchrow(found["SQL"])
    assert row is not None
    assert row["id"] == job.id


@pytest.mark.parametrize("text", ["", "'", "\\", "\\'", "a'b\\n", "$$", "\u202e"])
async def test_a_literal_is_that_of_quote_literal(conn: Connection, text: str) -> None:
    assert sql_text(text) == (await conn.fetchval("select quote_literal($1)", text)).lstrip()
