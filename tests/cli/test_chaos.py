"""`holdfast chaos`: a short run with every fault, and checks that can fail."""

import re
import subprocess
import sys
from uuid import uuid4

import pytest

from holdfast.cli.chaos.app import EFFECTS
from holdfast.cli.chaos.check import check
from holdfast.cli.chaos.producer import Ledger
from holdfast.db.connect import Database
from holdfast.model.id import JobId
from tests.builders import a_worker, running_job
from tests.cli.command import environment


def chaos(*options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "holdfast", "chaos", *options]
    return subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=250, check=False
    )


@pytest.mark.alone
@pytest.mark.timeout(280)
def test_every_fault_fires_and_no_job_is_lost_or_doubled() -> None:
    done = chaos("--seed", "1", "--minutes", "0.1", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    zeros = "0 lost, 0 duplicated, 0 effects wrong, 0 live, 0 rows unsound"
    assert re.fullmatch(rf"chaos: seed 1, [1-9]\d* accepted, {zeros}", last)


def test_an_unknown_fault_is_a_usage_error() -> None:
    done = chaos("--faults", "flood")
    assert done.returncode == 2
    assert "flood" in done.stderr


async def test_a_lost_job_and_a_doubled_effect_are_noticed(db: Database) -> None:
    async with db.connection() as conn:
        await conn.execute(EFFECTS)
        worker = await a_worker(conn, queues=["chaos"])
        job = await running_job(conn, worker=worker, task="effect", queue="chaos")
        await conn.execute("insert into public.chaos_effects values ($1, 1), ($1, 2)", job.id)
        await conn.fetch(
            "select holdfast.complete_jobs(array[$1::uuid], array[$2::uuid], array[null::json])",
            job.id,
            job.token,
        )
    ledger = Ledger(accepted={JobId(job.id): "a", JobId(uuid4()): "b"})
    report = await check(db, ledger)
    assert (report.lost, report.effects_wrong, report.is_good) == (1, 1, False)
