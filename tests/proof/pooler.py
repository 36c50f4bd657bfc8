"""pgbouncer in transaction mode, before the server of the tests."""

import asyncio
import os
import pwd
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import asyncpg

from tests.patience import PATIENCE
from tests.proof.needed import missing

MISSING = "pgbouncer is not installed: apt-get install pgbouncer"
SETTINGS = """
[databases]
* = host={host} port={port} user={user}

[pgbouncer]
listen_addr =
unix_socket_dir = {directory}
unix_socket_mode = 0777
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 5
ignore_startup_parameters = extra_float_digits
logfile =
pidfile = {directory}/pid
"""


def find_pgbouncer() -> str | None:
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")


@asynccontextmanager
async def pooled(url: str, directory: Path) -> AsyncIterator[str]:
    """The URL of the same database by way of the pooler."""
    parts, program = urlsplit(url), find_pgbouncer() or missing(MISSING)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    owner = (Path(query["host"]) / f".s.PGSQL.{query['port']}").stat().st_uid
    config = directory / "pgbouncer.ini"
    config.write_text(SETTINGS.format(**query, user=parts.username, directory=directory))
    os.chown(directory, owner, -1)
    directory.chmod(0o755)
    command = [program, "-q", str(config)]
    if os.geteuid() == 0:  # it refuses to run as root
        command[1:1] = ["-u", pwd.getpwuid(owner).pw_name]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    address = f"postgresql://{parts.username}@{parts.path}?host={quote(str(directory))}&port=6432"
    try:
        await _until_up(process, address)
        yield f"{address}&pgbouncer=true"
    finally:
        process.terminate()
        process.communicate()


async def _until_up(process: "subprocess.Popen[bytes]", address: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            assert process.poll() is None, process.communicate()[1].decode()
            try:
                conn = await asyncpg.connect(address, statement_cache_size=0)
            except (OSError, asyncpg.PostgresError):
                await asyncio.sleep(0.05)
            else:
                await conn.close()
                return
