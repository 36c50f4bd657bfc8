"""The disk is full: a clear error, all or nothing, and the server lives."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from holdfast.db.connect import Database
from holdfast.db.invariants import check_invariants
from holdfast.db.jobs import enqueue_jobs
from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.payload import encode
from tests.builders import a_worker, claim, complete
from tests.proof.needed import missing

pytestmark = pytest.mark.alone

PAYLOAD = encode({"filler": "x" * 1500})


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as directory:
        Path(directory).chmod(0o755)
        disk = Path(directory) / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, check=False
        )
        if mounted.returncode:
            missing("only root can mount a small disk to fill: run the tests as root")
        yield disk
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.slow
async def test_a_full_disk_is_a_clear_error_and_nothing_half_done(small_disk: Path) -> None:
    """Only the table of jobs lies there: were the server's own log full, PostgreSQL would stop."""
    server = EmbeddedServer(small_disk.parent / "data", settings={"fsync": "off", "shared_buffers": "16MB"})
    url = server.start()
    try:
        await prepare(url, small_disk)
        async with Database(url) as database:
            accepted = await fill(database)
            rows = await database.fetch("select count(*) from holdfast.jobs")
            assert rows[0][0] == accepted, "all of a call or nothing"
            (small_disk / "ballast").unlink()
            async with database.connection() as conn:
                worker = await a_worker(conn)
                for job in await claim(conn, worker, 20):
                    assert await complete(conn, job)
            await enqueue_jobs(database, ["task"], [PAYLOAD])
            assert await check_invariants(database) == []
    finally:
        server.stop()


async def prepare(url: str, disk: Path) -> None:
    conn = await asyncpg.connect(url)
    await migrate(conn)
    (disk / "ballast").write_bytes(bytes(3 << 20))
    place = disk / "space"
    place.mkdir(mode=0o700)
    socket = Path(await conn.fetchval("show data_directory"))
    os.chown(place, socket.stat().st_uid, -1)
    await conn.execute(f"create tablespace small location '{place}'")
    await conn.execute("alter table holdfast.jobs set tablespace small")
    await conn.close()


async def fill(database: Database) -> int:
    """Until the server says that it is full; how many jobs it had accepted."""
    accepted = 0

    async def give() -> None:
        nonlocal accepted
        while accepted < 100_000:
            accepted += len(await enqueue_jobs(database, ["task"], [PAYLOAD] * 50))

    with pytest.raises(DatabaseUnavailable, match="No space left") as refusal:
        await give()
    assert "disk is full" in (refusal.value.hint or "")
    return accepted
