"""An installation that has something to show on every page: the busy day of the reports, at its end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg
from starlette.types import ASGIApp

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.limits.loopback import loopback_key
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.testing.clock import FakeClock
from tests.dashboard.busy_extras import BusyExtras
from tests.dashboard.busy_settings import set_up
from tests.dashboard.rich_job import RichJob
from tests.report.busy_day import busy_day


async def fill(url: str, hours: float = 1.0, rate: float = 4.0) -> None:
    """Time stands still at the end of the day."""
    conn = await asyncpg.connect(url)
    extras = BusyExtras()
    try:
        # A database of the tests has no partitions yet, as migrate makes them.
        await conn.execute("select holdfast.make_partitions()")
        await busy_day(conn, hours=hours, rate=rate, tick=timedelta(seconds=20), each_tick=extras.tick)
        await extras.finish()
        await RichJob(conn, FakeClock(conn)).play()
        await set_up(conn)
        await conn.execute("select holdfast.sample_depths()")
        await conn.execute("select holdfast.summarise_ends()")
    finally:
        await conn.close()


@asynccontextmanager
async def keyless(app: Holdfast) -> AsyncIterator[ASGIApp]:
    """The API and the dashboard for callers on this machine, without access keys."""
    async with loopback_key(app) as key:
        yield api_app(app, limits=Limits(failed_log_ins=0), without_keys=key, add_pages=add_dashboard)
