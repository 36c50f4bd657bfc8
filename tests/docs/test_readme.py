"""The README is true: its programs run, its SQL works, its commands exist, its links lead somewhere."""

import asyncio
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import asyncpg
import pytest

from holdfast.embedded import default_data_dir
from holdfast.testing import ModelServer
from tests.cli.command import environment, holdfast, holdfast_process
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

README = (ROOT / "README.md").read_text()
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md"]

HELLO = "['Hello, Ada!', 'Hello, Grace!']\n"
ASKING = ("holdfast enqueue ask", "holdfast worker -A ask:app")
MESSAGES = "select body from messages"
ENDED = """
select task, queue, state
from holdfast.job_view
where task = 'answer' or payload->>'name' = 'Ada' and state = 'scheduled'
order by task
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def run(program: str, url: str | None, directory: Path, **more: str) -> str:
    (directory / "hello.py").write_text(program)
    command = [sys.executable, "-W", "error", "hello.py"]
    done = subprocess.run(
        command,
        env=environment(url, **more),
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
    assert run(program, database_url, tmp_path) == HELLO


@pytest.mark.slow
def test_the_program_needs_no_migrate_on_an_embedded_server(tmp_path: Path) -> None:
    """Not in tmp_path: the server's user cannot pass through pytest's private directories."""
    with TemporaryDirectory(prefix="holdfast-readme-") as data_dir:
        Path(data_dir).chmod(0o711)
        said = run(blocks("python")[0], None, tmp_path, HOLDFAST_DATA_DIR=data_dir)
    assert said == HELLO


@pytest.mark.slow
def test_the_program_on_a_server_that_is_not_migrated_is_told_the_command_that_does_it(
    empty_database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "hello.py").write_text(blocks("python")[0])
    told = subprocess.run(
        [sys.executable, "hello.py"],
        env=environment(empty_database_url),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    *_, error, hint = told.stderr.splitlines()
    name = urlsplit(empty_database_url).path[1:]
    assert f"The database {name} (HOLDFAST_DATABASE_URL) does not contain Holdfast's tables yet." in error
    assert hint == "hint: run this once: holdfast migrate"
    assert holdfast_process("migrate", url=empty_database_url).code == 0
    run(blocks("python")[0], empty_database_url, tmp_path)


@pytest.mark.slow
async def test_the_program_for_an_llm_server_answers_a_question(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "ask.py").write_text(blocks("python")[1])
    (_, *enqueue), (_, *worker) = (
        shlex.split(line, comments=True) for line in README.splitlines() if line.startswith(ASKING)
    )
    async with ModelServer() as server:
        run_command = partial(holdfast_process, url=database_url, cwd=tmp_path, LLM_URL=server.url)
        job = (await asyncio.to_thread(run_command, *enqueue)).out.strip()
        worked = await asyncio.to_thread(run_command, *worker)
        assert worked.code == 0, worked.err
        shown = await asyncio.to_thread(run_command, "jobs", "show", job, "--json")
    assert (shown.document["state"], type(shown.document["output"])) == ("completed", str)


@pytest.mark.slow
async def test_the_sql_runs_and_the_handler_answers_in_one_transaction(
    database_url: str, tmp_path: Path
) -> None:
    conn = await asyncpg.connect(database_url)
    for block in blocks("sql"):
        await conn.execute(block)
    (tmp_path / "answers.py").write_text(blocks("python")[2])
    (command,) = re.findall(r"`holdfast (worker -A answers:app --drain)`", README)
    worker = holdfast_process(*command.split(), url=database_url, cwd=tmp_path)
    assert worker.code == 0, worker.err
    assert await conn.fetchval(MESSAGES) == "Is anybody there? Yes."
    ended = [tuple(row) for row in await conn.fetch(ENDED)]
    assert ended == [("answer", "messages", "completed"), ("greet", "greetings", "scheduled")]
    await conn.close()


def test_it_names_the_data_directory_of_the_embedded_server_for_root_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/tmp/ada")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    for user, home in ((0, ""), (1000, "/tmp/ada")):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        shown = str(default_data_dir()).replace(home, "~") if home else str(default_data_dir())
        assert f"`{shown}`" in README


@pytest.mark.parametrize("line", re.findall(r"^holdfast .*?(?=\s+#|$)", README, re.MULTILINE))
def test_every_command_that_it_shows_exists_with_these_options(line: str) -> None:
    words = line.split()[1:]
    path = words[:2] if words[0] in ("jobs", "runs", "queues", "workers", "dead") else words[:1]
    shown = holdfast(*path, "--help")
    assert shown.code == 0, shown.err
    for option in re.findall(r"(?<!\S)--[a-z-]+", line):
        assert option in shown.out


def test_it_goes_from_one_sentence_over_picture_commands_and_program_to_what_is_promised() -> None:
    assert re.fullmatch(r"Holdfast is [^.]+\.", README.splitlines()[2])
    order = ["![The dashboard", "./dev demo", "./dev test", "from holdfast import"]
    order += ["## Guarantees", "## Limitations"]
    places = [README.index(part) for part in [*order, "does **not** promise"]]
    assert places == sorted(places)


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
