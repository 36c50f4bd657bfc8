"""An app on a database of its own, and failpoints that are disarmed after each test."""

from collections.abc import AsyncIterator

import pytest

from holdfast.client.app import Holdfast
from holdfast.worker import failpoint
from holdfast.worker.claim import wake


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened


@pytest.fixture
def no_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker looks only when it is told to: what starts then was not found by a poll."""
    monkeypatch.setattr(wake, "FIRST_POLL", 3600.0)
    monkeypatch.setattr(wake, "LAST_POLL", 3600.0)


@pytest.fixture(autouse=True)
def disarmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failpoint, "hook", failpoint.hook)
