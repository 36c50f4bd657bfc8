"""What only a process of its own can show: help, pipes, Ctrl-C, colours, psql, the embedded database."""

import asyncio
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from holdfast.cli.frame.command_list import COMMANDS, Command
from holdfast.cli.workers.worker_settings import read_queues
from holdfast.db.address import without_password
from tests.cli.command import environment, eventually, holdfast, holdfast_process
from tests.patience import PATIENCE

HEAVY = ("asyncpg", "rich", "pydantic", "holdfast.db", "holdfast.worker")


def test_help_lists_every_command_and_loads_none_of_them() -> None:
    code = (
        "import sys\nfrom holdfast.cli.frame.entry import run\nassert run(['--help']) == 0\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\nassert not loaded, loaded"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for command in COMMANDS:
        assert f"  {command.name} " in done.stdout
        assert command.help in " ".join(done.stdout.split())


def test_help_names_shared_variables_and_states_the_rule_for_the_others_once() -> None:
    shown = " ".join(holdfast("dead", "replay", "--help").out.split())
    assert shown.count("HOLDFAST_") == 2
    assert "[env var: HOLDFAST_JSON]" in shown
    assert "--queue by HOLDFAST_DEAD_REPLAY_QUEUE." in shown


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_a_help_with_the_same_first_line(command: Command) -> None:
    shown = holdfast(command.name, "--help")
    assert shown.code == 0, shown.err
    assert f"Usage: holdfast {command.name}" in shown.out
    assert command.help in " ".join(shown.out.split())


def test_the_help_of_a_command_says_more_than_its_line_in_the_list() -> None:
    shown = " ".join(holdfast("db", "--help").out.split())
    assert "holdfast db [PSQL ARGUMENT]..." in shown
    assert "All arguments go to psql" in shown


def test_an_option_can_be_set_by_the_environment(database_url: str) -> None:
    holdfast("enqueue", "greet", url=database_url, HOLDFAST_ENQUEUE_COUNT="3")
    listed = holdfast("jobs", "list", url=database_url, HOLDFAST_JSON="1", HOLDFAST_JOBS_LIST_LIMIT="2")
    assert len(listed.document["jobs"]) == 2


def test_a_variable_is_named_as_the_option_is_typed(database_url: str) -> None:
    paused = holdfast("queues", "pause", url=database_url, HOLDFAST_QUEUES_PAUSE_ALL="1")
    assert (paused.code, paused.out) == (0, "paused: all queues\n")


@pytest.mark.parametrize("form", [["jobs", "list"], ["jobs", "list", "--json"], ["version"]])
def test_a_reader_that_went_away_is_no_error(database_url: str, form: list[str]) -> None:
    command = [sys.executable, "-m", "holdfast", *form]
    with subprocess.Popen(
        command, env=environment(database_url), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 141


def test_ctrl_c_ends_a_wait_quietly_with_130(database_url: str) -> None:
    job = holdfast("enqueue", "greet", url=database_url).out.strip()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "--log-level", "debug", "jobs", "wait", job],
        env=environment(database_url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    eventually(lambda: asyncio.run(sessions(database_url)) > 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


def test_colours_are_for_terminals_and_not_for_those_who_refuse_them(database_url: str) -> None:
    holdfast("enqueue", "greet", url=database_url)
    assert "\x1b[" not in holdfast("jobs", "list", url=database_url).out
    assert "\x1b[" in holdfast("jobs", "list", url=database_url, FORCE_COLOR="1").out
    assert "\x1b[3" not in holdfast("jobs", "list", url=database_url, FORCE_COLOR="1", NO_COLOR="1").out


@pytest.mark.slow
def test_psql_opens_on_the_database_and_gives_its_exit_code(database_url: str) -> None:
    shown = holdfast_process("db", "-tAc", "select count(*) from holdfast.queue_view", url=database_url)
    assert (shown.code, shown.out) == (0, "0\n"), shown.err
    assert holdfast_process("db", "-c", "select nonsense", url=database_url).code == 1


def test_a_password_is_not_passed_as_an_argument() -> None:
    assert without_password("postgresql://me:s%40cret@host:5432/x?sslmode=require") == (
        "postgresql://me@host:5432/x?sslmode=require",
        "s@cret",
    )
    assert without_password("postgresql://me@/x?host=/tmp") == ("postgresql://me@/x?host=/tmp", None)


def test_queues_are_names_with_weights() -> None:
    assert read_queues("chat, mail:3,a:b:0.5") == {"chat": 1, "mail": 3, "a:b": 0.5}


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Not tmp_path: the server's user cannot pass through pytest's private directories."""
    directory = Path(tempfile.mkdtemp(prefix="holdfast-cli-"))
    yield directory
    shutil.rmtree(directory)


@pytest.mark.slow
def test_an_embedded_database_is_started_and_migrated_without_being_asked(data_dir: Path) -> None:
    first = holdfast_process("--data-dir", str(data_dir), "queues", "set", "mail", "priority=70")
    assert first.code == 0, first.err
    assert "using the embedded one" in first.err
    assert "upgrading the schema" in first.err
    second = holdfast_process("--data-dir", str(data_dir), "queues", "show", "mail", "--json")
    assert second.document["priority"] == 70
    assert "schema" not in second.err
    doctor = holdfast_process("--data-dir", str(data_dir), "doctor", "--json")
    assert {one["level"] for one in doctor.document["findings"]} == {"ok"}, doctor.out


@pytest.mark.slow
@pytest.mark.parametrize("database", [[], ["--data-dir"]])
def test_a_worker_and_its_processes_tell_of_the_embedded_database_once(
    data_dir: Path, tmp_path: Path, database: list[str]
) -> None:
    (tmp_path / "shop.py").write_text("from holdfast import Holdfast\napp = Holdfast()\n")
    given = [*database, str(data_dir)] if database else []
    words = [*given, "worker", "-A", "shop:app", "--queues", "mail", "--processes", "2", "--drain"]
    worker = holdfast_process(*words, cwd=tmp_path, HOLDFAST_DATA_DIR=str(data_dir))
    assert worker.code == 0, worker.err
    assert worker.err.count("using the embedded one") == 1, worker.err
    assert worker.err.count("upgrading the schema") == 1, worker.err


@pytest.mark.slow
def test_psql_on_a_new_embedded_database_finds_the_schema(data_dir: Path) -> None:
    shown = holdfast_process(
        "--data-dir", str(data_dir), "db", "-tAc", "select holdfast.enqueue('t') is not null"
    )
    assert (shown.code, shown.out.strip()) == (0, "t"), shown.err


async def sessions(url: str) -> int:
    conn = await asyncpg.connect(url)
    try:
        found = "select count(*) from pg_stat_activity where application_name = 'holdfast cli'"
        return int(await conn.fetchval(f"{found} and datname = current_database()"))
    finally:
        await conn.close()
