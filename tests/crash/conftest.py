"""Crash tests: real processes, one test at a time; all are slow."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.crash.processes import WorkerProcess, processes
from tests.crash.world import World, world

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., WorkerProcess]]:
    async with processes() as started:
        yield started


@pytest.fixture
async def here(database_url: str) -> AsyncIterator[World]:
    async with world(database_url) as opened:
        yield opened
