"""An app on a database of its own, and failpoints that are disarmed after each test."""

from collections.abc import AsyncIterator

import pytest

from holdfast.client.app import Holdfast
from holdfast.worker import failpoint


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened


@pytest.fixture(autouse=True)
def disarmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failpoint, "hook", failpoint.hook)
