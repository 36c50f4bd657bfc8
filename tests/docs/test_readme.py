"""The README is true: its programs run, its SQL works, its commands exist, its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.cli.command import environment, holdfast
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

README = (ROOT / "README.md").read_text()
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md"]

ANSWER_PROGRAM = """
import asyncio
from holdfast import Holdfast, JobContext, Worker
app = Holdfast()
{block}
asyncio.run(Worker(app, ["default"], drain=True).run())
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def run(program: str, url: str, directory: Path) -> str:
    (directory / "hello.py").write_text(program)
    command = [sys.executable, "-W", "error", "hello.py"]
    done = subprocess.run(
        command,
        env=environment(url),
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_runs_and_prints_what_it_promises(database_url: str, tmp_path: Path) -> None:
    program = blocks("python")[0]
    assert len(program.splitlines()) <= 22
    assert run(program, database_url, tmp_path) == "['Hello, Ada!', 'Hello, Grace!']\n"


async def test_the_sql_runs_and_the_handler_answers_in_one_transaction(
    database_url: str, tmp_path: Path
) -> None:
    conn = await asyncpg.connect(database_url)
    for block in blocks("sql"):
        await conn.execute(block)
    run(ANSWER_PROGRAM.format(block=blocks("python")[1]), database_url, tmp_path)
    assert await conn.fetchval("select body from messages") == "Is anybody there? Yes."
    ended = await conn.fetch("select task, state from holdfast.job_view order by task")
    assert [tuple(row) for row in ended] == [("answer", "completed"), ("greet", "scheduled")]
    await conn.close()


@pytest.mark.parametrize("line", re.findall(r"^holdfast .*?(?=\s+#|$)", README, re.MULTILINE))
def test_every_command_that_it_shows_exists_with_these_options(line: str) -> None:
    words = line.split()[1:]
    path = words[:2] if words[0] in ("jobs", "runs", "queues", "workers", "dead") else words[:1]
    shown = holdfast(*path, "--help")
    assert shown.code == 0, shown.err
    for option in re.findall(r"(?<!\S)--[a-z-]+", line):
        assert option in shown.out


def test_it_begins_with_the_sentence_and_soon_says_what_is_not_promised() -> None:
    lines = README.splitlines()
    assert lines[2].startswith("*Holdfast holds every job fast until it is done, ")
    assert any("**not** promised" in line for line in lines[:66])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_to_a_file_leads_somewhere(name: str) -> None:
    text = (ROOT / name).read_text()
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:src|tests)/[\w./]+)`", (ROOT / "ARCHITECTURE.md").read_text())))
)
def test_every_path_in_the_architecture_exists(path: str) -> None:
    assert (ROOT / path).exists()
