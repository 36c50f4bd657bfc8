"""Data of another major version are refused, with the commands that bring them over."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.embedded import EmbeddedError
from tests.embedded.running import MAJOR, fast_server, pgdata_of, sql, with_source

DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")


def test_data_of_another_major_are_refused_and_left_alone(short_dir: Path) -> None:
    (short_dir / "pg12").mkdir()

    with pytest.raises(EmbeddedError, match=f"PostgreSQL 12.*are PostgreSQL {MAJOR}") as caught:
        fast_server(short_dir).start()

    assert "pg_dump > holdfast.sql" in str(caught.value)
    assert not pgdata_of(short_dir).exists()


@pytest.mark.slow
@pytest.mark.skipif(not DEBIAN_15.exists() or MAJOR == 15, reason="PostgreSQL 15 is not installed")
def test_the_commands_in_the_message_bring_the_data_over(short_dir: Path) -> None:
    data_dir = short_dir / "my data"
    with fast_server(data_dir, bin_dir=DEBIAN_15) as dsn:
        sql(dsn, "create table kept as select generate_series(1, 1000) as id")
    with pytest.raises(EmbeddedError) as caught:
        fast_server(data_dir).start()
    commands = [line.strip() for line in str(caught.value).splitlines() if line.startswith("  ")]
    assert len(commands) == 3

    for command in commands:
        run = command.replace("python -m", f"{shlex.quote(sys.executable)} -m")
        subprocess.run(run, shell=True, check=True, cwd=short_dir, env=with_source(), capture_output=True)

    with fast_server(data_dir) as dsn:
        assert sql(dsn, "select count(*) from kept") == "1000"
    assert sorted(path.name for path in data_dir.glob("pg*")) == ["pg15.old", f"pg{MAJOR}"]


def test_data_whose_inner_version_differs_are_refused(own_data_dir: Path) -> None:
    (pgdata_of(own_data_dir) / "PG_VERSION").write_text("11\n")

    with pytest.raises(EmbeddedError, match="PG_VERSION: 11"):
        fast_server(own_data_dir).start()


def test_a_directory_that_is_itself_a_cluster_is_refused(short_dir: Path) -> None:
    (short_dir / "PG_VERSION").write_text("18\n")

    with pytest.raises(EmbeddedError, match="already is a PostgreSQL data directory"):
        fast_server(short_dir).start()


def test_the_module_s_command_runs_a_program_on_the_server(data_dir: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "holdfast.embedded",
        "--data-dir",
        str(data_dir),
        "psql",
        "-Atc",
        "select 6 * 7",
    ]
    ended = subprocess.run(command, env=with_source(), capture_output=True, text=True, check=True)

    assert ended.stdout == "42\n"


def test_the_module_s_command_says_an_error_as_a_sentence(short_dir: Path) -> None:
    (short_dir / "PG_VERSION").write_text("18\n")
    command = [sys.executable, "-m", "holdfast.embedded", "--data-dir", str(short_dir), "psql"]
    ended = subprocess.run(
        command, env=with_source(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )

    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ")
    assert "Traceback" not in ended.stderr
    assert os.linesep in ended.stderr
