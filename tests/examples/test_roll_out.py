"""The example roll-out: in each phase every message is answered once, by the worker of its side."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from examples.display import Display
from examples.options import Options
from examples.roll_out import FAULTS
from examples.roll_out.app import app
from examples.roll_out.checks import judge, plant
from examples.roll_out.new_worker import HERE
from examples.roll_out.scenario import PRODUCERS, ROLLOUT, Play, play
from holdfast.db.connect import Database

ONCE = "every message was answered once"


class InThisProcess:
    """What the scripts do, without their processes."""

    @asynccontextmanager
    async def new_worker(self, share: str) -> AsyncIterator[None]:
        async with app.lifespan.with_worker()(None):
            await app.settings.set_rollout(ROLLOUT, share, reason="test")
            yield

    async def switch_back(self) -> None:
        async with app:
            await app.settings.set_rollout(ROLLOUT, "off", reason="test")
            await app.database.execute((HERE / "switch_back.sql").read_text())


async def test_each_message_is_answered_once_and_each_planted_fault_is_named(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", database_url)
    options = Options(database_url, tmp_path, Display())
    async with Database(database_url, pool_size=PRODUCERS + 2) as database:
        evidence = await Play(options, database, InThisProcess()).run()
        good = await judge(database, evidence)
        assert good.passed, good.line("roll-out", 0)
        for fault in FAULTS:
            await plant(database, fault)
            assert [check.name for check in (await judge(database, evidence)).failed] == [ONCE], fault


@pytest.mark.slow
@pytest.mark.alone
async def test_the_scripts_start_the_new_worker_beside_the_old_and_switch_back(
    database_url: str, tmp_path: Path
) -> None:
    verdict = await play(Options(database_url, tmp_path, Display()))
    assert verdict.passed, verdict.line("roll-out", 0)
