"""An app on a database of its own."""

from collections.abc import AsyncIterator

import pytest

from holdfast.client.app import Holdfast


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast(database_url, name="tests") as opened:
        yield opened
