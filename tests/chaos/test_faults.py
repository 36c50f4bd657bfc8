"""A fault hits only if it affects a process: without traffic, none does."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from chaos.cluster import Cluster
from chaos.fault_proxy import FaultProxy
from chaos.faults import FAULTS
from chaos.postgres_proxy import proxied_postgres
from holdfast.db.connect import Database
from holdfast.db.jobs import enqueue_jobs
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import HoldfastError
from holdfast.model.payload import encode
from holdfast.testing.supervisor import Supervisor
from tests.builders import cancelled_job


class Least(random.Random):
    """As short as a fault can be."""

    def random(self) -> float:
        return 0.0


@pytest.fixture
async def far(database_url: str) -> AsyncIterator[tuple[FaultProxy, Database]]:
    async with proxied_postgres(database_url) as (proxy, url), Database(url) as database:
        yield proxy, database


@pytest.fixture
def cluster(db: Database, far: tuple[FaultProxy, Database], tmp_path: Path) -> Cluster:
    """Behind the second proxy, a worker's."""
    supervisor = Supervisor((), {}, tmp_path)
    return Cluster(
        EmbeddedServer(tmp_path / "unused"), db, [FaultProxy("nowhere"), far[0]], ["", ""], supervisor
    )


@asynccontextmanager
async def traffic(near: Database, far: Database) -> AsyncIterator[None]:
    """Jobs are stored from afar, and others end."""

    async def talk() -> None:
        while True:
            with suppress(HoldfastError):
                await enqueue_jobs(far, ["task"], [encode({})], {})
                async with near.connection() as conn:
                    await cancelled_job(conn)

    task = asyncio.create_task(talk())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    "fault",
    ["slow-network", "lost-reply", "lock-table", pytest.param("long-transaction", marks=pytest.mark.slow)],
)
async def test_a_fault_hits_only_if_it_affects_a_process(
    cluster: Cluster, far: tuple[FaultProxy, Database], fault: str
) -> None:
    cluster.proxies = [far[0]]
    inject = FAULTS[fault].inject
    assert not await inject(cluster, Least())
    async with traffic(cluster.database, far[1]):
        assert await inject(cluster, Least())


async def test_a_half_open_connection_reports_no_error_until_all_is_healed(
    cluster: Cluster, far: tuple[FaultProxy, Database]
) -> None:
    proxy, database = far
    async with database.connection() as conn:
        chooses_worker = next(seed for seed in range(100) if random.Random(seed).choice((0, 1)) == 1)
        assert await FAULTS["half-open"].inject(cluster, random.Random(chooses_worker))
        with pytest.raises(TimeoutError):
            await conn.fetchval("select 1", timeout=0.2)
        assert proxy.connections > 0
        cluster.heal()
        assert proxy.connections == 0
