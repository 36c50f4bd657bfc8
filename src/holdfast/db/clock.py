"""The one clock that decides anything, which is the database's."""

from datetime import datetime

from holdfast.db.statement import Executor, fetch_value

NOW = "select holdfast.now()"


async def now(on: Executor) -> datetime:
    found: datetime = await fetch_value(on, NOW)
    return found
