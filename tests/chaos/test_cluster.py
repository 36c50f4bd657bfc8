"""Workers that exit by themselves: restarted, and wrong unless they had found no database."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from chaos.cluster import Cluster
from holdfast.db.connect import Database
from holdfast.embedded import EmbeddedServer
from holdfast.testing.supervisor import Supervisor
from tests.builders import a_worker, renew
from tests.patience import PATIENCE

NO_DATABASE, A_DEFECT = 3, 1


@pytest.fixture
async def supervisor(tmp_path: Path) -> AsyncIterator[Supervisor]:
    """Its workers exit at once: they do not know that option."""
    async with Supervisor(("holdfast", "worker", "--no-such-option"), {}, tmp_path) as made:
        yield made


@pytest.fixture
def cluster(db: Database, supervisor: Supervisor, tmp_path: Path) -> Cluster:
    return Cluster(EmbeddedServer(tmp_path / "unused"), db, [], ["postgresql://nowhere"], supervisor)


@pytest.mark.parametrize(
    ("on_sigterm", "seconds", "complaint"),
    [
        ("exit 0", PATIENCE, None),
        ("exit 5", PATIENCE, "exited with code 5 after SIGTERM"),
        pytest.param("", 0.5, "had not exited 0.5 s after SIGTERM, and was killed", marks=pytest.mark.slow),
    ],
)
async def test_a_worker_that_got_sigterm_must_exit_in_time_and_with_0(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    on_sigterm: str,
    seconds: float,
    complaint: str | None,
) -> None:
    monkeypatch.setattr(sys, "executable", a_program(tmp_path, on_sigterm))
    pid = cluster.start_worker(0)
    await until_there(tmp_path / f"ready-{pid}")
    await cluster.terminate_worker(pid, within=timedelta(seconds=seconds))
    assert cluster.bad_exits == ([] if complaint is None else [f"worker {pid} {complaint}"])
    assert (pid in cluster.deaths, pid in cluster.supervisor.pids, len(cluster.supervisor.pids)) == (
        True,
        False,
        1,
    )


@pytest.mark.parametrize("lives", [True, False])
async def test_only_a_worker_that_lived_until_then_counts_as_killed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lives: bool
) -> None:
    monkeypatch.setattr(sys, "executable", a_program(tmp_path, "exit 5"))
    pid = cluster.start_worker(0)
    await until_there(tmp_path / f"ready-{pid}")
    if not lives:
        os.kill(pid, signal.SIGTERM)
        await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert cluster.kill_worker(pid) == lives
    assert (pid in cluster.deaths, cluster.exited) == (lives, {} if lives else {pid: 5})


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


@pytest.mark.slow
async def test_a_worker_that_exited_by_itself_is_restarted_and_reported(cluster: Cluster) -> None:
    left = cluster.start_worker(0)
    async with asyncio.timeout(PATIENCE):
        while not cluster.exited:
            await asyncio.sleep(0.05)
            cluster.restart_exited()
    assert left not in cluster.supervisor.pids
    assert len(cluster.supervisor.pids) == 1
    assert await cluster.unexplained_exits() == [f"worker {left} exited by itself with code 2"]


@pytest.mark.parametrize(
    ("code", "had_begun", "is_wrong"),
    [(NO_DATABASE, False, False), (NO_DATABASE, True, True), (A_DEFECT, False, True)],
)
async def test_only_a_worker_that_found_no_database_at_its_start_may_exit(
    cluster: Cluster, code: int, had_begun: bool, is_wrong: bool
) -> None:
    async with cluster.database.connection() as conn:
        worker = await a_worker(conn, pid=7, lease=timedelta(seconds=2))
        if had_begun:
            await renew(conn, worker)
    cluster.exited[7] = code
    assert bool(await cluster.unexplained_exits()) == is_wrong
