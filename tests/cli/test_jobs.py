"""`holdfast enqueue` and `holdfast jobs`: the verbs, and the shape of what they print."""

import json
import re
from pathlib import Path
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import report, running_job
from tests.cli.command import holdfast
from tests.cli.scene import given

JOB_KEYS = {
    *("id", "queue", "task", "state", "priority", "payload", "output", "reason", "attempt", "failures"),
    *("losses", "deferrals", "generation", "run", "parent", "stage", "labels", "worker", "endpoint", "group"),
    *("order_key", "unique_key", "units", "timeout", "deadline", "max_failures", "created_at", "due_at"),
    *("ready_at", "started_at", "cancel_asked_at", "ended_at", "progress", "unique_scope", "origin", "login"),
    *("role", "claimed_actor", "changed_at", "cost"),
}

CHECKPOINT_KEYS = {"name", "attempt", "saved_at", "size", "value"}


def enqueue(url: str, *arguments: str) -> str:
    result = holdfast("enqueue", "greet", *arguments, url=url)
    assert result.code == 0, result.err
    return result.out.strip()


def test_every_option_of_an_enqueue_reaches_the_job(database_url: str) -> None:
    run = holdfast("runs", "start", "nightly", url=database_url).out.strip()
    job = enqueue(
        database_url,
        '{"name": "Ada"}',
        *("--queue", "mail", "--priority", "70", "--delay", "1h", "--unique-key", "k", "--order-key", "o"),
        *("--run", run, "--label", "team=search", "--label", "size=3", "--timeout", "90s", "--group", "gpu"),
        *("--endpoint", "model", "--max-failures", "5", "--deadline", "2100-01-01T00:00:00Z"),
    )
    shown = holdfast("jobs", "show", job, "--json", url=database_url).document
    assert shown.keys() == JOB_KEYS | {"attempts", "timeline", "calls", "logs", "checkpoints", "trace_id"}
    expected = {
        "payload": {"name": "Ada"},
        "queue": "mail",
        "priority": 70,
        "state": "scheduled",
        "unique_key": "k",
        "order_key": "o",
        "run": run,
        "labels": {"team": "search", "size": 3},
        "timeout": 90.0,
        "group": "gpu",
        "endpoint": "model",
        "max_failures": 5,
        "deadline": "2100-01-01T00:00:00Z",
        "attempts": [],
    }
    assert {name: shown[name] for name in expected} == expected


def test_a_job_can_join_a_trace(database_url: str) -> None:
    async def stored(conn: Connection) -> str:
        return str(await conn.fetchval("select trace ->> 'traceparent' from holdfast.jobs"))

    traceparent = f"00-{'a' * 32}-{'1' * 16}-01"
    job = enqueue(database_url, "--trace", traceparent)
    assert given(database_url, stored) == traceparent
    assert holdfast("jobs", "show", job, "--json", url=database_url).document["trace_id"] == "a" * 32
    assert f"trace          {'a' * 32}" in holdfast("jobs", "show", job, url=database_url).lines
    refused = holdfast("enqueue", "greet", "--trace", "no", url=database_url)
    assert (refused.code, "traceparent" in refused.err) == (2, True)


def test_jobs_are_listed_and_cancelled_by_values_of_their_payload(database_url: str) -> None:
    ada = enqueue(database_url, '{"customer": {"id": 4711}, "items": [{"sku": "a=b"}]}')
    enqueue(database_url, '{"customer": {"id": 4712}}')
    wanted = ("--payload", "customer.id=4711", "--payload", "items.0.sku=a=b")
    listed = holdfast("jobs", "list", *wanted, "--json", url=database_url).document["jobs"]
    assert [job["id"] for job in listed] == [ada]
    cancelled = holdfast("jobs", "cancel", *wanted, "--reason", "x", "--yes", "--json", url=database_url)
    assert cancelled.document["jobs"] == [{"id": ada, "result": "cancelled"}]
    for wrong in ("customer.id", "=1", "a..b=1"):
        refused = holdfast("jobs", "list", "--payload", wrong, url=database_url)
        assert (refused.code, refused.out) == (2, ""), wrong


def test_jobs_are_listed_by_the_time_of_their_enqueue(database_url: str) -> None:
    job = enqueue(database_url)
    at = holdfast("jobs", "show", job, "--json", url=database_url).document["created_at"]
    for option, count in (("--enqueued-after", 1), ("--enqueued-before", 0)):
        listed = holdfast("jobs", "list", option, at, "--newer-than", "1h", "--json", url=database_url)
        assert len(listed.document["jobs"]) == count, option
    assert holdfast("jobs", "list", "--enqueued-after", "2030-01-31", url=database_url).code == 2


def test_checkpoints_are_shown_to_viewers_and_to_no_producer(database_url: str) -> None:
    async def saved(conn: Connection) -> str:
        job = await running_job(conn)
        for name, data in (("page", '{"n": 7}'), ("login", '{"password": "hunter2"}')):
            await conn.execute(
                "select holdfast.save_checkpoint($1, $2, $3, $4)", job.id, job.token, name, data
            )
        return str(job.id)

    job = given(database_url, saved)
    viewer, producer = (f"{database_url}&role=holdfast_{role}" for role in ("viewer", "producer"))
    shown = holdfast("jobs", "checkpoints", job, url=viewer, COLUMNS="120").lines
    assert [line.split() for line in shown[:1]] == [["NAME", "ATTEMPT", "AGE", "BYTES", "VALUE"]]
    assert re.fullmatch(r'page +1 +\d+ \w+ +8 +\{"n": 7\}', shown[1])
    assert shown[2].endswith('{"password": [redacted]}')
    document = holdfast("jobs", "checkpoints", job, "--json", url=viewer).document
    assert document["job"] == job
    assert [one.keys() for one in document["checkpoints"]] == [CHECKPOINT_KEYS] * 2
    assert (
        holdfast("jobs", "show", job, "--json", url=viewer).document["checkpoints"] == document["checkpoints"]
    )
    sheet = holdfast("jobs", "show", job, url=viewer, COLUMNS="120").out
    assert re.search(rf"^checkpoints +page, login \(holdfast jobs checkpoints {job}\)$", sheet, re.MULTILINE)
    refused = holdfast("jobs", "checkpoints", job, url=producer)
    assert (refused.code, "hunter2" in refused.out + refused.err) == (1, False)
    assert holdfast("jobs", "checkpoints", str(uuid4()), url=viewer).code == 5


def test_progress_is_listed_and_shown(database_url: str) -> None:
    async def reported(conn: Connection) -> str:
        job = await running_job(conn)
        errors = [{"item": "page 12", "error": "not found"}]
        await report(conn, job, done=340, total=1000, failed=2, item="page 34", errors=errors)
        return str(job.id)

    enqueue(database_url, "--queue", "other")
    quiet = holdfast("jobs", "list", url=database_url, COLUMNS="120").lines[0]
    assert quiet.split() == ["ID", "STATE", "TASK", "QUEUE", "TRY", "AGE"]
    job = given(database_url, reported)
    shown = holdfast("jobs", "show", job, "--json", url=database_url).document["progress"]
    assert {**shown, "updated_at": None} == {
        "done": 340,
        "total": 1000,
        "failed": 2,
        "note": None,
        "item": "page 34",
        "errors": [{"item": "page 12", "error": "not found"}],
        "rate": None,
        "eta": None,
        "updated_at": None,
    }
    sheet = holdfast("jobs", "show", job, url=database_url, COLUMNS="120").out
    assert re.search(
        r"^progress +34% 340/1000, 2 failed: page 34 \(reported \d+ \w+ ago\)$", sheet, re.MULTILINE
    )
    assert re.search(r"^page 12 +not found$", sheet, re.MULTILINE)
    listed = holdfast("jobs", "list", "--state", "running", url=database_url, COLUMNS="120").lines
    assert listed[0].split()[-1] == "DONE"
    assert listed[1].endswith("34% 340/1000, 2 failed: page 34")
    narrow = holdfast("jobs", "list", "--state", "running", url=database_url, COLUMNS="80").lines
    assert max(map(len, narrow)) <= 80
    assert " 34%" in narrow[1]


def test_a_payload_comes_from_stdin_or_a_file(database_url: str, tmp_path: Path) -> None:
    piped = holdfast("enqueue", "greet", "-", url=database_url, stdin='{"name": "Åsa"}').out.strip()
    (tmp_path / "payload.json").write_text('{"name": "Bo"}')
    read = enqueue(database_url, f"@{tmp_path}/payload.json")
    names = [
        holdfast("jobs", "show", job, "--json", url=database_url).document["payload"]["name"]
        for job in (piped, read)
    ]
    assert names == ["Åsa", "Bo"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"name": "Ada", "name": "Bo"}', "$.name"),
        ("[1, 1e-324]", "$[1]"),
        ("[" * 100_000 + "]" * 100_000, "$[0][0]"),
    ],
    ids=["twice", "zero", "deep"],
)
def test_a_payload_that_would_not_come_back_equal_is_refused_with_its_path(
    database_url: str, text: str, path: str
) -> None:
    result = holdfast("enqueue", "greet", "-", url=database_url, stdin=text)
    assert result.code == 2
    assert path in result.err


def test_count_stores_that_many_and_json_names_them_all(database_url: str) -> None:
    stored = holdfast("enqueue", "greet", "--count", "3", "--json", url=database_url).document
    assert [job.keys() for job in stored["jobs"]] == [{"id", "created"}] * 3
    listed = holdfast("jobs", "list", "--json", url=database_url).document["jobs"]
    assert {job["id"] for job in listed} == {job["id"] for job in stored["jobs"]}
    assert listed[0].keys() == JOB_KEYS


def test_a_list_is_filtered_and_paged(database_url: str) -> None:
    first = enqueue(database_url, "--queue", "a", "--label", "team=x")
    second = enqueue(database_url, "--queue", "a", "--delay", "1h")
    enqueue(database_url, "--queue", "b")

    def ids(*filters: str) -> list[str]:
        found = holdfast("jobs", "list", "--json", *filters, url=database_url).document["jobs"]
        return [job["id"] for job in found]

    assert ids("--queue", "a") == [second, first]
    assert ids("--queue", "a", "--limit", "1") == [second]
    assert ids("--queue", "a", "--before", second) == [first]
    assert ids("--state", "scheduled") == [second]
    assert ids("--label", "team=x") == [first]
    assert ids("--task", "other") == []


def test_a_cancelled_job_is_waited_for_and_replayed(database_url: str) -> None:
    job = enqueue(database_url)
    assert (
        holdfast("jobs", "cancel", job, "--reason", "not needed", url=database_url).out
        == f"{job} cancelled\n"
    )
    waited = holdfast("jobs", "wait", job, "--json", url=database_url)
    assert waited.code == 1, "it ended, but not completed"
    expected = {"id": job, "state": "cancelled", "output": None, "reason": "not needed"}
    assert waited.document == {"jobs": [expected]}
    replayed = holdfast("jobs", "replay", job, "--json", url=database_url)
    assert replayed.document == {"jobs": [{"id": job, "result": "replayed"}]}
    assert holdfast("jobs", "show", job, "--json", url=database_url).document["generation"] == 2


def test_a_bulk_action_needs_a_yes_and_can_be_looked_at_before(database_url: str) -> None:
    jobs = {enqueue(database_url, "--queue", "a") for _ in range(2)}
    enqueue(database_url, "--queue", "b")
    assert holdfast("jobs", "cancel", "--queue", "a", url=database_url).code == 2
    dry = holdfast("jobs", "cancel", "--queue", "a", "--dry-run", url=database_url)
    assert set(dry.lines) == jobs
    assert "would cancel 2 jobs" in dry.err
    states = holdfast("jobs", "list", "--json", url=database_url).document["jobs"]
    assert {job["state"] for job in states} == {"ready"}
    done = holdfast("jobs", "cancel", "--queue", "a", "--yes", "--json", url=database_url).document
    assert {job["id"] for job in done["jobs"]} == jobs
    left = holdfast("jobs", "list", "--state", "ready", "--json", url=database_url).document["jobs"]
    assert [job["queue"] for job in left] == ["b"]
    again = holdfast(
        "jobs", "replay", "--queue", "a", "--state", "cancelled", "--yes", "--json", url=database_url
    )
    assert {job["result"] for job in again.document["jobs"]} == {"replayed"}


def test_a_table_fits_into_80_columns_and_shortens_ids_for_that(database_url: str) -> None:
    job = holdfast("enqueue", "a" * 100, "--queue", "q" * 100, url=database_url).out.strip()
    listed = holdfast("jobs", "list", url=database_url, COLUMNS="80")
    assert max(map(len, listed.lines)) <= 80
    assert listed.lines[1].startswith(f"{job[-12:]}  ready ")
    assert holdfast("jobs", "show", job[-12:], "--json", url=database_url).document["id"] == job
    missing = holdfast("jobs", "show", "0" * 12, url=database_url)
    assert (missing.code, "No job has an id that ends in" in missing.err) == (5, True)
    wide = holdfast("jobs", "list", url=database_url)
    assert "a" * 100 in wide.out, "a pipe has no width, so nothing is cut"


def test_text_from_elsewhere_cannot_steer_the_terminal(database_url: str) -> None:
    holdfast("enqueue", "evil\x1b[2J", json.dumps({"name": "[bold]x"}), url=database_url)
    listed = holdfast("jobs", "list", url=database_url, FORCE_COLOR="1", NO_COLOR="1").out
    assert "evil\\x1b[2J" in listed
    assert "\x1b[2J" not in listed


def test_a_job_of_the_command_line_is_manual_and_names_its_user(database_url: str) -> None:
    shown = holdfast("jobs", "show", enqueue(database_url), "--json", url=database_url).document
    assert (shown["origin"], shown["login"]) == ("manual", "holdfast")
    assert re.fullmatch(r".+@.+", shown["claimed_actor"])


def test_jobs_are_listed_by_origin_actor_and_unique_key(database_url: str) -> None:
    nightly = enqueue(database_url, "--origin", "scheduled", "--actor", "cron", "--unique-key", "monday")
    other = enqueue(database_url, "--unique-key", "tuesday", "--unique-scope", "s")
    for option, value, found in [
        ("--origin", "scheduled", [nightly]), ("--origin", "manual", [other]), ("--origin", "import", []),
        ("--actor", "cron", [nightly]), ("--actor", "holdfast", [other, nightly]),
        ("--unique-key", "monday", [nightly]), ("--unique-scope", "s", [other]),
    ]:  # fmt: skip
        listed = holdfast("jobs", "list", option, value, "--json", url=database_url).document["jobs"]
        assert [job["id"] for job in listed] == found, (option, value)


def test_jobs_are_cancelled_by_origin(database_url: str) -> None:
    imported = enqueue(database_url, "--origin", "import")
    kept = enqueue(database_url)
    assert holdfast("jobs", "cancel", "--origin", "import", "--yes", url=database_url).code == 0
    listed = holdfast("jobs", "list", "--json", url=database_url).document["jobs"]
    assert {job["id"]: job["state"] for job in listed} == {imported: "cancelled", kept: "ready"}
