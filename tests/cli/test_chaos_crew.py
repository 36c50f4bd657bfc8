"""Workers that leave by themselves under chaos: replaced, and wrong unless they had found no database."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from holdfast.cli.chaos.arena import Arena
from holdfast.cli.crew import Crew
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from tests.builders import a_worker, renew
from tests.patience import PATIENCE

NO_DATABASE, A_DEFECT = 3, 1


@pytest.fixture
async def crew(tmp_path: Path) -> AsyncIterator[Crew]:
    """Its workers leave at once: they do not know that option."""
    async with Crew(("--no-such-option",), {}, tmp_path) as made:
        yield made


@pytest.fixture
def place(db: Database, crew: Crew, tmp_path: Path) -> Arena:
    return Arena(EmbeddedServer(tmp_path / "unused"), db, [], ["postgresql://nowhere"], crew)


@pytest.mark.parametrize(
    ("on_sigterm", "seconds", "told"),
    [
        ("exit 0", PATIENCE, None),
        ("exit 5", PATIENCE, "left with exit code 5 when it was asked to"),
        pytest.param("", 0.5, "had not left 0.5 s after SIGTERM, and was killed", marks=pytest.mark.slow),
    ],
)
async def test_a_worker_that_was_asked_to_leave_must_do_so_in_time_and_with_0(
    place: Arena,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    on_sigterm: str,
    seconds: float,
    told: str | None,
) -> None:
    monkeypatch.setattr(sys, "executable", a_program(tmp_path, on_sigterm))
    pid = place.start_worker(0)
    await until_there(tmp_path / f"ready-{pid}")
    await place.dismiss_worker(pid, within=timedelta(seconds=seconds))
    assert place.misconduct == ([] if told is None else [f"worker {pid} {told}"])
    assert (pid in place.deaths, pid in place.crew.pids, len(place.crew.pids)) == (True, False, 1)


@pytest.mark.parametrize("lives", [True, False])
async def test_only_a_worker_that_lived_until_then_counts_as_killed(
    place: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lives: bool
) -> None:
    monkeypatch.setattr(sys, "executable", a_program(tmp_path, "exit 5"))
    pid = place.start_worker(0)
    await until_there(tmp_path / f"ready-{pid}")
    if not lives:
        os.kill(pid, signal.SIGTERM)
        await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert place.kill_worker(pid) == lives
    assert (pid in place.deaths, place.departed) == (lives, {} if lives else {pid: 5})


def a_program(directory: Path, on_sigterm: str) -> str:
    """To be run instead of a worker."""
    program = directory / "program"
    program.write_text(
        f"#!/bin/sh\ntrap '{on_sigterm}' TERM\ntouch {directory}/ready-$$\nwhile :; do sleep 0.05; done\n"
    )
    program.chmod(0o755)
    return str(program)


async def until_there(file: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(file.exists):
            await asyncio.sleep(0.02)


async def test_a_worker_that_left_by_itself_is_replaced_and_told_of(place: Arena) -> None:
    left = place.start_worker(0)
    async with asyncio.timeout(PATIENCE):
        while not place.departed:
            await asyncio.sleep(0.05)
            place.replace_departed()
    assert left not in place.crew.pids
    assert len(place.crew.pids) == 1
    assert await place.deserters() == [f"worker {left} left by itself with exit code 2"]


@pytest.mark.parametrize(
    ("code", "had_begun", "is_wrong"),
    [(NO_DATABASE, False, False), (NO_DATABASE, True, True), (A_DEFECT, False, True)],
)
async def test_only_a_worker_that_found_no_database_at_its_start_may_leave(
    place: Arena, code: int, had_begun: bool, is_wrong: bool
) -> None:
    async with place.database.connection() as conn:
        worker = await a_worker(conn, pid=7, lease=timedelta(seconds=2))
        if had_begun:
            await renew(conn, worker)
    place.departed[7] = code
    assert bool(await place.deserters()) == is_wrong
