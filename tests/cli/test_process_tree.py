"""The processes of `holdfast up`: replaced when they fail, drained together, restarted after a change."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.up import process_tree
from holdfast.cli.up.process_tree import ProcessTree, Program
from tests.patience import PATIENCE

READY = "http://127.0.0.1:1"
SERVES = f"print('{READY}'); import sys; sys.stdin.read(1); print('drained')"
DEAF = f"print('{READY}'); import time; time.sleep(3600)"
FAILS = "print('half a line', end=''); raise SystemExit(3)"


def program(name: str, code: str) -> Program:
    return Program(name, [sys.executable, "-I", "-u", "-c", code])


class Tree:
    """A tree of small programs, and the lines that they wrote."""

    def __init__(self, server: str, others: Sequence[str] = (), watched: Path | None = None) -> None:
        self.lines: list[tuple[str, str]] = []
        self._seen = asyncio.Event()
        programs = [program(f"worker-{place}", code) for place, code in enumerate(others, 1)]
        is_ready: Callable[[str], bool] = READY.__eq__
        self.tree = ProcessTree(
            program("serve", server), programs, self._line, is_ready, watched, timedelta(milliseconds=1)
        )
        self.running = asyncio.create_task(self.tree.run())

    async def until(self, *line: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.lines.count((line[0], line[1])) < times:
                await self._seen.wait()
                self._seen.clear()

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE):
            return await self.running

    def _line(self, name: str, line: str) -> None:
        self.lines.append((name, line))
        self._seen.set()


def events(caplog: pytest.LogCaptureFixture, name: str) -> list[Any]:
    return [vars(one)["fields"] for one in caplog.records if vars(one).get("event") == name]


async def test_the_workers_start_after_the_server_and_all_of_them_drain() -> None:
    tree = Tree(SERVES, [SERVES, SERVES])
    for name in ("worker-1", "worker-2"):
        await tree.until(name, READY)
    assert tree.lines[0] == ("serve", READY)
    tree.tree.stop()
    assert await tree.ended() == 0
    assert sorted(tree.lines[3:]) == [(name, "drained") for name in ("serve", "worker-1", "worker-2")]


async def test_a_process_that_fails_is_replaced_after_a_rest_that_grows(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tree, "LONGEST_REST", timedelta(milliseconds=3))
    tree = Tree(SERVES, [FAILS])
    await tree.until("worker-1", "half a line", times=4)
    tree.tree.stop()
    assert await tree.ended() == 0
    failed = events(caplog, "up.process_failed")
    assert {(one["process"], one["code"]) for one in failed} == {("worker-1", 3)}
    assert [one["restart_in"] for one in failed][:3] == [0.001, 0.002, 0.003]


async def test_a_server_that_cannot_start_ends_the_command_with_its_code() -> None:
    tree = Tree(FAILS, [SERVES])
    assert await tree.ended() == 3
    assert tree.lines == [("serve", "half a line")]


async def test_a_process_that_leaves_with_0_is_not_replaced(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdfast"):
        tree = Tree(f"print('{READY}')", ["print('done')"])
        assert await tree.ended() == 0
    assert tree.lines.count(("worker-1", "done")) == 1
    assert [one["process"] for one in events(caplog, "up.process_left")] == ["serve", "worker-1"]


async def test_a_process_that_does_not_drain_is_killed_by_the_third_signal() -> None:
    tree = Tree(SERVES, [DEAF])
    await tree.until("worker-1", READY)
    tree.tree.stop()
    await tree.until("serve", "drained")
    tree.tree.stop()
    assert not tree.running.done()
    tree.tree.stop()
    assert await tree.ended() == 0


async def test_after_a_change_all_restart_and_one_that_failed_waits_for_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tree, "LOOK_EVERY", 0.01)
    app = tmp_path / "shop.py"
    app.write_text("")
    tree = Tree(SERVES, [FAILS], watched=tmp_path)
    with caplog.at_level(logging.INFO, "holdfast"):
        for times in (1, 2):
            await tree.until("worker-1", "half a line", times=times)
            async with asyncio.timeout(PATIENCE):
                while len(events(caplog, "up.process_failed")) < times:
                    await asyncio.sleep(0.01)
            os.utime(app, ns=(times, times))
        await tree.until("serve", READY, times=3)
    tree.tree.stop()
    assert await tree.ended() == 0
    assert all("restart_in" not in one for one in events(caplog, "up.process_failed"))
    assert {one["file"] for one in events(caplog, "up.code_changed")} == {app}
