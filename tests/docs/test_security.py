"""The security page is true: its programs run, its commands exist, its limits are those of the code."""

import re
import shlex
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from holdfast.api.limits import rates
from holdfast.api.limits.bounded_connection import BEYOND, BoundedConnection
from holdfast.api.limits.key_connections import WAIT
from holdfast.api.limits.limits import Limits
from holdfast.api.producers.bulk_body import MOST_RECEIVED, MOST_STORED, STORE_WAIT
from holdfast.api.serve import DATABASE_WAIT, IDLE_FOR, ServeOptions
from tests.cli.command import holdfast
from tests.docs.page import blocks, run
from tests.docs.serving import answers, commands, started
from tests.repo.tree import ROOT

PAGE = "security.md"
TEXT = (ROOT / "docs" / PAGE).read_text()


@pytest.mark.slow
def test_the_program_prints_what_the_page_says(database_url: str) -> None:
    ((_, program),) = blocks(PAGE, "python")
    ((_, said),) = blocks(PAGE, "text")
    assert run(program, database_url).stdout == said


async def test_the_sql_enqueues_as_a_login_with_one_role(database_url: str) -> None:
    ((_, statements),) = blocks(PAGE, "sql")
    connection = await asyncpg.connect(database_url)
    transaction = connection.transaction()
    await transaction.start()  # a role belongs to the whole server, not to this database
    *before, last = [one for one in statements.split(";") if one.strip()]
    for statement in before:
        await connection.execute(statement)
    assert isinstance(await connection.fetchval(last), UUID)
    await transaction.rollback()
    await connection.close()


@pytest.mark.slow
@pytest.mark.alone
def test_the_server_of_the_commands_answers_until_sigterm(database_url: str, tmp_path: Path) -> None:
    create, serve = commands(PAGE)
    assert holdfast(*shlex.split(create)[1:], url=database_url).code == 0
    with started(serve, database_url, tmp_path) as url:
        assert (answers(url), answers(url, "/readyz")) == (200, 200)


def test_the_options_of_the_page_exist() -> None:
    serve = commands(PAGE)[1]
    known = holdfast("serve", "--help").out
    named = re.findall(r"--[a-z-]+", serve) + re.findall(r"`(--(?!dev)[a-z-]+)`", TEXT)
    assert [option for option in named if option not in known] == []


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    limits, options = Limits(), ServeOptions()
    table = TEXT.partition("## Limits")[2].partition("## ")[0]
    for said in (
        f"{limits.body // 2**20} MiB | `--body-limit`",
        f"{limits.bulk // 2**20} MiB, 100,000 jobs",
        f"{limits.headers // 1024} KiB",
        f"its last | {limits.receive.seconds} s",
        f"its answer | {BoundedConnection.within:g} s",
        f"idle connection | {IDLE_FOR} s",
        f"use many; {WAIT.seconds} s of waiting",
        f"received | {MOST_RECEIVED}, {MOST_RECEIVED // 2} of one key",
        f"stored | {MOST_STORED}, {MOST_STORED // 2} of one key; {STORE_WAIT.seconds} s",
        f"{options.connections:,} | `--connections` | 503, and closed without an answer from {BEYOND} more",
        f"{limits.waiting_per_key} | `--waiting`",
        f"{limits.rate:,g} per second, {limits.rate * rates.KEY_BURST:,g} at once",
        f"{limits.failed_log_ins:g} per second, {limits.failed_log_ins * rates.ADDRESS_BURST:g} at once",
        f"{DATABASE_WAIT.seconds} s of waiting for one | `--database-connections`",
    ):
        assert said in table, said
    assert limits.waiting == options.connections * 9 // 10
