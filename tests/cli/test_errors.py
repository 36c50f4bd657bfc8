"""Every class of error: its exit code, a sentence, a hint, and never a traceback."""

import socket
from pathlib import Path
from uuid import uuid4

import pytest

from tests.cli.command import Result, holdfast, holdfast_process
from tests.database import url_of

SOME_ID = "01a1e117-f02c-7216-b768-ff1b30215dc2"
APPS = {
    "fine": "from holdfast import Holdfast\napp = Holdfast()\n",
    "other": "from holdfast import Holdfast\nshop = Holdfast()\n",
    "bad_handler": (
        "from holdfast import Holdfast\napp = Holdfast()\n"
        "@app.task(queue='mail')\nasync def greet(*names: str) -> None: ...\n"
    ),
    "broken": "import no_such_library\n",
    "raises": "value = 1 / 0\n",
}


def assert_refused(result: Result, code: int, *words: str) -> None:
    assert result.code == code, result.err
    assert result.out == ""
    for word in words:
        assert word in result.err
    first, *rest = result.err.strip().splitlines()[-2:]
    assert first.startswith("error: ")
    assert rest
    assert rest[0].startswith("hint: ")
    assert "Traceback" not in result.err


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    for name, text in APPS.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], ["frobnicate"]),
        (["jobs"], []),
        (["jobs", "list", "--limit", "0"], ["--limit"]),
        (["jobs", "list", "--state", "asleep"], ["--state"]),
        (["jobs", "list", "--label", "nonsense"], ["NAME=VALUE"]),
        (["jobs", "show", "not-an-id"], ["not-an-id", "holdfast jobs list"]),
        (["jobs", "cancel"], ["Neither ids nor a filter"]),
        (["jobs", "cancel", SOME_ID, "--queue", "a"], ["Both"]),
        (["jobs", "cancel", "--state", "dead", "--queue", "a"], ["--state", "'dead'", "'running'"]),
        (["jobs", "replay", "--state", "ready", "--queue", "a"], ["--state", "'ready'", "'dead'"]),
        (["migrate", "--database", "postgresql://x"], ["--database", "before the command"]),
        (["--database", "mysql://x/y", "queues", "list"], ["postgresql://"]),
        (["--database", "postgresql://x", "--data-dir", "y", "queues", "list"], ["Both"]),
        (["--log-level", "loud", "queues", "list"], ["loud"]),
        (["enqueue", "greet", '{"name": '], ["not JSON", "column"]),
        (["enqueue", "greet", '{"a": [1, NaN]}'], ["$.a[1]"]),
        (["enqueue", "greet", '{"a": "\\ud800"}'], ["$.a"]),
        (["enqueue", "greet", "@no-such-file.json"], ["no-such-file.json"]),
        (["enqueue", "greet", "--priority", "101"], ["--priority"]),
        (["enqueue", "greet", "--delay", "soon"], ["soon"]),
        (["enqueue", "greet", "--run-at", "2030-01-31 09:00"], ["--run-at", "zone"]),
        (["worker"], ["--app"]),
        (["worker", "-A", "no_such_module:app"], ["no_such_module"]),
        (["worker", "-A", "not a path"], ["not a path"]),
        (["worker", "-A", "other:app"], ["use -A other:shop"]),
        (["worker", "-A", "bad_handler:app"], ["greet", "*names", "bad_handler.py"]),
        (["worker", "-A", "broken:app"], ["no_such_library", "broken.py, line 1"]),
        (["worker", "-A", "raises:app"], ["ZeroDivisionError", "raises.py, line 1"]),
        (["worker", "-A", "fine:app", "--queues", "a,,b"], ["empty name"]),
        (["worker", "-A", "fine:app", "--queues", "a:-1"], ["weight"]),
        (["worker", "-A", "fine:app", "--lease", "1ms"], ["lease"]),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else None,
)
def test_wrong_usage_exits_with_2_before_any_database_is_touched(
    arguments: list[str], words: list[str], apps: Path
) -> None:
    result = holdfast(*arguments, url="postgresql://nobody@127.0.0.1:1/none", cwd=apps)
    if arguments == ["jobs"]:
        assert result.code == 2
        assert "Usage: holdfast jobs" in result.out + result.err
        return
    assert_refused(result, 2, *words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["version"], 0),
        (["--version"], 0),
        (["jobs", "list", "--limit", "x"], 2),
        (["enqueue", "greet", "{"], 2),
        (["worker", "-A", "bad_handler:app"], 2),
        (["queues", "list"], 3),
    ],
)
def test_the_process_itself_exits_with_the_code(arguments: list[str], code: int, apps: Path) -> None:
    result = holdfast_process(*arguments, url="postgresql://nobody@127.0.0.1:1/none", cwd=apps)
    assert result.code == code, result.err
    assert "Traceback" not in result.err


def test_a_stopped_database_exits_with_3_and_says_which_setting_named_it() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        result = holdfast("queues", "list", url=f"postgresql://user:secret@127.0.0.1:{port}/x")
    assert_refused(result, 3, "cannot be reached", "HOLDFAST_DATABASE_URL")
    assert "secret" not in result.err


def test_a_database_that_is_not_there_exits_with_3(server_url: str) -> None:
    result = holdfast("queues", "list", url=url_of(server_url, "no_such_database"))
    assert_refused(result, 3, "no_such_database", "create the database")


def test_a_foreign_database_without_the_schema_exits_with_4_and_is_not_touched(
    empty_database_url: str,
) -> None:
    result = holdfast("jobs", "list", url=empty_database_url)
    assert_refused(result, 4, "holdfast migrate")
    assert holdfast("migrate", "--check", url=empty_database_url).code == 4


def test_the_worker_refuses_a_foreign_database_without_the_schema(
    empty_database_url: str, apps: Path
) -> None:
    result = holdfast("worker", "-A", "fine:app", "--drain", url=empty_database_url, cwd=apps)
    assert_refused(result, 4, "holdfast migrate")


def test_what_is_not_there_exits_with_5(database_url: str) -> None:
    missing = str(uuid4())
    for arguments in (
        ["jobs", "show", missing],
        ["jobs", "wait", missing],
        ["jobs", "cancel", missing],
        ["jobs", "replay", missing],
        ["runs", "show", missing],
        ["runs", "wait", missing],
        ["runs", "seal", missing],
        ["queues", "show", "no-such-queue"],
        ["queues", "pause", "no-such-queue"],
        ["enqueue", "greet", "--run", missing],
    ):
        result = holdfast(*arguments, url=database_url)
        assert result.code == 5, f"{arguments}: {result.err}"
        assert "\nhint: " in result.err
        assert "Traceback" not in result.err


def test_a_conflict_exits_with_6(database_url: str) -> None:
    first = holdfast("enqueue", "greet", '{"name": "Ada"}', "--unique-key", "k", url=database_url)
    again = holdfast("enqueue", "greet", '{"name": "Ada"}', "--unique-key", "k", url=database_url)
    assert (again.code, again.out) == (0, first.out)
    assert "exists already" in again.err
    other = holdfast("enqueue", "greet", '{"name": "Bob"}', "--unique-key", "k", url=database_url)
    assert_refused(other, 6, "unique key")
    live = holdfast("jobs", "replay", first.out.strip(), url=database_url)
    assert live.code == 6
    assert "has not ended" in live.err


def test_a_wait_that_takes_too_long_exits_with_7(database_url: str) -> None:
    job = holdfast("enqueue", "greet", url=database_url).out.strip()
    assert_refused(holdfast("jobs", "wait", job, "--timeout", "0.2s", url=database_url), 7, "200 ms")


def test_an_unknown_task_is_accepted_with_a_warning_and_refused_with_strict(database_url: str) -> None:
    accepted = holdfast("enqueue", "greet", url=database_url)
    assert accepted.code == 0
    assert "warning: no worker or app has registered the task 'greet'" in accepted.err
    assert_refused(holdfast("enqueue", "greet", "--strict", url=database_url), 2, "greet")


def test_a_payload_that_only_the_database_refuses_exits_with_2(database_url: str) -> None:
    holdfast("queues", "set", "small", "payload_limit=10", url=database_url)
    result = holdfast("enqueue", "greet", '{"name": "a longer name"}', "--queue", "small", url=database_url)
    assert result.code == 2, result.err
    assert "\nhint: " in result.err


def test_the_traceback_appears_only_when_asked_for(database_url: str) -> None:
    missing = str(uuid4())
    assert "Traceback" not in holdfast("jobs", "show", missing, url=database_url).err
    told = holdfast("jobs", "show", missing, url=database_url, HOLDFAST_DEBUG="1")
    assert told.code == 5
    assert "Traceback" in told.err


def test_with_a_traceback_the_hint_is_not_said_twice() -> None:
    shown = holdfast("jobs", "show", SOME_ID, url="mysql://x/y", HOLDFAST_DEBUG="1")
    assert "Traceback" in shown.err
    assert shown.err.count("hint: ") == 1
