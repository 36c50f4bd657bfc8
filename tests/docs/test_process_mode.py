"""The guide to process mode is true: its program runs as a script, and under the command line."""

import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.cli.command import holdfast, holdfast_process
from tests.docs.page import blocks, environment
from tests.patience import PATIENCE

((_, PROGRAM),) = blocks("guides/process-mode.md", "python")
GUARD = 'if __name__ == "__main__":\n    asyncio.run(main())'


def run(program: str, url: str, directory: Path) -> "subprocess.CompletedProcess[str]":
    (directory / "primes.py").write_text(program)
    command = [sys.executable, "-W", "error", "primes.py"]
    return subprocess.run(
        command,
        env=environment(url),
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_the_program_runs_as_a_script_and_prints_what_it_promises(database_url: str, tmp_path: Path) -> None:
    done = run(PROGRAM, database_url, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1229\n", "")


@pytest.mark.slow
async def test_a_program_without_the_line_that_it_needs_is_told_so_and_does_not_start_all_over(
    database_url: str, tmp_path: Path
) -> None:
    assert GUARD in PROGRAM
    bare = PROGRAM.replace(GUARD, "asyncio.run(main())").replace("drain=True", "once=True")
    done = run(bare.replace("print(await job.result())", "pass"), database_url, tmp_path)
    assert done.returncode == 0, done.stderr
    conn = await asyncpg.connect(database_url)
    ((message, error_class),) = await conn.fetch("select message, class from holdfast.attempt_view")
    assert "__main__" in message
    assert error_class == "system"
    assert await conn.fetchval("select count(*) from holdfast.job_view") == 1
    await conn.close()


@pytest.mark.slow
def test_the_command_line_runs_it_too(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "primes.py").write_text(PROGRAM)
    job = holdfast(
        "enqueue", "count_primes", '{"below": 100}', "--queue", "primes", url=database_url
    ).out.strip()
    worker = holdfast_process("worker", "-A", "primes:app", "--drain", url=database_url, cwd=tmp_path)
    assert worker.code == 0, worker.err
    waited = holdfast("jobs", "wait", job, "--json", url=database_url)
    assert waited.document["jobs"][0]["output"] == 25
