"""What a page of the dashboard reads is bounded, whatever the installation holds: buffers, not time."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import timedelta

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.dashboard.samples import SAMPLES
from tests.database import fresh_database
from tests.plan.large_world import Size, add_ended, make_world
from tests.plan.page_cost import Reader, reader

# As many as a page looks at end within its hours.
SMALL = Size(
    ended=30_000,
    span=timedelta(hours=2),
    ready=3_000,
    queues=60,
    workers=120,
    fingerprints=300,
    letters=2_000,
    endpoints=5,
    hours=1,
)
LARGE = Size(ended=200_000)
LONG = Size(ended=10_000_000)

# Buffers of the first look at each page, about half as much again as was measured with PostgreSQL 18. A count
# to 10,000, a look at 10,000 jobs or at 100,000 dead letters reads a buffer for each where they do not lie
# together. A page without a line here has to do with few.
FEW = 3_000
BOUNDS = {
    "/": 200_000,
    "/dev/capture-monitor": 220_000,
    "/actions": 16_000,
    "/dead": 320_000,
    "/doctor": 12_000,
    "/endpoints": 20_000,
    "/errors": 130_000,
    "/jobs": 145_000,  # of dead ones the newest 100,000 dead letters are counted, at most every few seconds
    "/pipelines": 6_000,
    "/pipelines/{name:path}": 30_000,
    "/queues": 25_000,
    "/queues/{name:path}": 40_000,
    "/reports": 220_000,
    "/workers": 130_000,
    "/workers/{worker_id}": 45_000,
}
# Other addresses of these pages, which read the most.
MORE = {
    "/queues?after=customer-0040-intake": "/queues",
    "/queues/customer-0001-intake?since=7d": "/queues/{name:path}",
    "/dead?queue=customer-0001-intake&group=f77": "/dead",
    "/errors?since=7d": "/errors",
    "/endpoints?since=6h": "/endpoints",
    "/jobs?queue=customer-0001-intake&state=ready": "/jobs",
    "/jobs?fingerprint=f77": "/jobs",
}
ALL_JOBS = 80_000  # of /jobs without a filter: 100,000 live jobs are counted
STATEMENTS = 80
LARGEST = 500_000  # characters of a page


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(LARGE, marks=pytest.mark.slow),
        pytest.param(LONG, marks=[pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
    ids=lambda size: f"{size.ended}",
)
def world_url(request: pytest.FixtureRequest, server_url: str, template: str) -> Iterator[str]:
    with asyncio.Runner() as runner:
        database = fresh_database(server_url, template)
        url = runner.run(database.__aenter__())
        runner.run(make_world(url, request.param))
        yield url
        runner.run(database.__aexit__(None, None, None))


@pytest.fixture
async def conn(world_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(world_url)
    yield connection
    await connection.close()


async def test_what_a_page_reads_is_bounded(world_url: str, conn: Connection) -> None:
    wrong = {}
    async with Holdfast(world_url, name="tests") as app, reader(app) as pages, pages.server() as client:
        asked = {await sample(app): BOUNDS.get(path, FEW) for path, sample in SAMPLES.items()}
        asked |= {address: BOUNDS[path] for address, path in MORE.items()} | {"/jobs": ALL_JOBS}
        for address, bound in asked.items():
            html = await pages.open(client, address)
            touched = await pages.statements.buffers(conn)
            if sum(touched.values()) > bound or len(html) > LARGEST or len(touched) > STATEMENTS:
                wrong[address] = (sum(touched.values()), bound, len(touched), len(html), touched)
    assert wrong == {}


async def test_a_page_says_what_it_did_not_count(world_url: str) -> None:
    async with Holdfast(world_url, name="tests") as app, reader(app) as pages, pages.server() as client:
        assert "Only the newest 100,000 dead letters were counted" in await pages.open(client, "/dead")
        assert "Only the newest 100,000 failed attempts" in await pages.open(client, "/errors?since=7d")
        workers = await pages.open(client, "/workers")
    assert re.search(r"50\d live workers", workers), "those of the busy day are among them"
    assert workers.count('id="worker-') == 100
    assert "Older ones" in workers


@pytest.mark.slow
async def test_no_page_reads_more_because_more_jobs_have_ended(database_url: str) -> None:
    """Time stands still, so that no minute enters or leaves what a page looks at."""
    await make_world(database_url, SMALL)
    connection = await asyncpg.connect(database_url)
    await install_fake_clock(connection)
    async with Holdfast(database_url, name="tests") as app, reader(app) as pages:
        asked = [*[await sample(app) for sample in SAMPLES.values()], "/jobs"]
        before = await touched(pages, database_url, asked)
        await add_ended(connection, SMALL.ended * 2, SMALL.span, dead_every=0)
        after = await touched(pages, database_url, asked)
    await connection.close()
    # Where PostgreSQL plans again, in the ids of another page and in a count that stops at 100, it may touch
    # some buffers more; a page that reads all ended jobs would touch three times as many.
    allowed = {address: 1.5 * buffers + 200 for address, buffers in before.items()}
    grown = {
        address: (before[address], found) for address, found in after.items() if found > allowed[address]
    }
    assert grown == {}


async def touched(pages: Reader, url: str, asked: Sequence[str]) -> dict[str, int]:
    """By address: the buffers of all its statements, in a new session, which has kept no plan."""
    found, conn = {}, await asyncpg.connect(url)
    async with pages.server() as client:
        for address in asked:
            await pages.open(client, address)
            found[address] = sum((await pages.statements.buffers(conn)).values())
    await conn.close()
    return found
