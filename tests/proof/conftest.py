"""Proofs: real processes and servers, one test at a time."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.crash.processes import WorkerProcess, processes
from tests.crash.world import World, world


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., WorkerProcess]]:
    async with processes() as started:
        yield started


@pytest.fixture
async def here(database_url: str) -> AsyncIterator[World]:
    async with world(database_url) as opened:
        yield opened
