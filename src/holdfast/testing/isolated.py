"""An application's own app, on a database of the test's own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from holdfast.client.app import Holdfast
from holdfast.testing.database import fresh_database


@asynccontextmanager
async def isolated(app: Holdfast, server_url: str | None = None) -> AsyncIterator[Holdfast]:
    """The app works on a fresh database, whichever one it names; what it declares is declared there."""
    async with fresh_database(server_url) as url:
        await asyncio.to_thread(app._sync.close)  # its connection leads to the app's own database
        with app._links.elsewhere(url):
            async with app:
                await app.declare()
                yield app
