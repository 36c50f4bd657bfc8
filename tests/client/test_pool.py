"""How many connections an app has."""

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import DatabaseBusy


async def test_a_pool_is_set_also_after_the_database_was_looked_at(database_url: str) -> None:
    """As `holdfast serve -A` does it with --database-connections, after it has imported the app."""
    app = Holdfast(database_url, pool_size=4)
    assert app.database.size == 0
    app.set_pool(2, "50ms")
    async with app, app.database.connection(), app.database.connection():
        assert app.database.size == 2
        with pytest.raises(DatabaseBusy, match="All 2 connections"):
            await app.database.fetch("select")
