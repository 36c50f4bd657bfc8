"""dashboard: how long each page of a large installation takes, and what 50 watching browsers cost."""

import asyncio
import sys
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

from httpx2 import AsyncClient, Response

from bench.meter import Meter
from bench.peers.api_script import API, KEY
from bench.result import OURS, Results
from bench.server import fresh_database, shown_settings
from bench.stores import stores
from bench.suites.api import serving
from bench.system import HERE, System, SystemFailed
from holdfast.api.request.session_cookie import NAME as SESSION
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import open_session
from holdfast.model.access_key import hash_secret
from tests.dashboard.samples import SAMPLES
from tests.plan.large_world import Size, make_world

DATABASE = "dashboard_test"  # a busy day is played on a fake clock, which needs such a name
LARGE = Size(ended=10_000_000)
WATCHERS = 50
WATCHED = "/live?page=%2F"


def dashboard(results: Results, runs: int, scale: float, seconds: int, size: Size | None = None) -> None:
    """Each page is asked for `runs` times in turn; watchers are counted for `seconds`."""
    size = size or Size(ended=round(scale * LARGE.ended))
    script = HERE / "peers" / "api_script.py"
    system = System(OURS, script, Path(sys.executable), package="holdfast-queue")
    with stores() as places, fresh_database(places.postgres, DATABASE) as url:
        results.settings |= shown_settings(places.postgres) | {
            "ended": f"{size.ended}",
            "ready": f"{size.ready}",
            "queues": f"{size.queues}",
            "workers": f"{size.workers}",
            "fingerprints": f"{size.fingerprints}",
        }
        system.call("prepare", url)
        print("bench: dashboard, filling …", file=sys.stderr)
        asyncio.run(make_world(url, size))
        with serving(system, url) as server:
            print("bench: dashboard, pages …", file=sys.stderr)
            asyncio.run(_pages(results, system.version(), url, server.environment, runs))
            for count in (1, WATCHERS):
                print(f"bench: dashboard, {count} watching …", file=sys.stderr)
                asyncio.run(_watch(results, system.version(), url, server.environment, count, seconds))


async def _pages(results: Results, version: str, url: str, environment: Mapping[str, str], runs: int) -> None:
    async with Holdfast(url, name="bench") as app:
        addresses = {path: await sample(app) for path, sample in SAMPLES.items()}
    taken: dict[str, list[float]] = {path: [] for path in addresses}
    headers = {"Authorization": f"Bearer {environment[KEY]}"}
    async with AsyncClient(
        base_url=environment[API], headers=headers, timeout=60, follow_redirects=True
    ) as client:
        for _ in range(runs):
            for path, address in addresses.items():
                began = time.perf_counter()
                answered = await client.get(address)
                taken[path].append(1000 * (time.perf_counter() - began))
                if answered.status_code != 200:
                    raise SystemFailed(OURS, f"{address} was answered by {answered.status_code}")
    for path, times in taken.items():
        parts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
        results.add(OURS, version, f"{path} p50", "ms", parts[9])
        results.add(OURS, version, f"{path} p95", "ms", parts[18])


async def _watch(
    results: Results, version: str, url: str, environment: Mapping[str, str], count: int, seconds: int
) -> None:
    """Browsers with a session each, that have the overview open."""
    meter, opener = Meter(url), hash_secret(environment[KEY])
    cookie = f"{SESSION}_{urlsplit(environment[API]).port}"
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(Holdfast(url, name="bench"))
        client = await stack.enter_async_context(AsyncClient(base_url=environment[API], timeout=60))
        streams = []
        for number in range(count):
            secret = f"hfs_bench_{count}_{number}"
            await open_session(app.database, opener, hash_secret(secret), timedelta(hours=1))
            headers = {"Cookie": f"{cookie}={secret}", "Sec-Fetch-Site": "same-origin"}
            answered = await stack.enter_async_context(client.stream("GET", WATCHED, headers=headers))
            if answered.status_code != 200:
                raise SystemFailed(OURS, f"a stream was answered by {answered.status_code}")
            streams.append(asyncio.create_task(_read(answered)))
        await asyncio.to_thread(meter.start)
        await asyncio.sleep(seconds)
        used = await asyncio.to_thread(meter.read)
        if any(one.done() for one in streams):
            raise SystemFailed(OURS, "a stream ended before its time")
        for one in streams:
            one.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
    results.add(
        OURS, version, f"watchers_{count}_statements_per_s", "statements/s", used.statements / seconds
    )


async def _read(answered: Response) -> None:
    async for _ in answered.aiter_bytes():
        pass
