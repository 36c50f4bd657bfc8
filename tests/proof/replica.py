"""A primary and a streaming replica on this machine; the end of the one, the promotion of the other."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from urllib.parse import parse_qs, quote, urlsplit

import asyncpg

from holdfast.db.migrate import migrate
from holdfast.embedded import EmbeddedServer
from holdfast.embedded.find_programs import find_binaries
from holdfast.embedded.ownership import usable_by
from holdfast.embedded.server_account import account_for
from tests.crash.processes import until

PORT = 5433
STREAMS = "select sync_state from pg_stat_replication where state = 'streaming'"


@dataclass(frozen=True, slots=True)
class Pair:
    """`url` names both hosts: whoever uses it finds the primary."""

    primary: EmbeddedServer
    primary_url: str
    replica_url: str
    url: str

    async def make_synchronous(self) -> None:
        """From now on a commit returns when the replica has it, too."""
        await _run(self.primary_url, "alter system set synchronous_standby_names = '*'")
        await _run(self.primary_url, "select pg_reload_conf()")
        await until(lambda: _is_so(self.primary_url, f"select exists ({STREAMS} and sync_state = 'sync')"))

    async def cut(self) -> None:
        """The replica hears nothing more: what is committed now is on the primary only."""
        await _run(self.replica_url, "alter system set primary_conninfo = ''")
        await _run(self.replica_url, "select pg_reload_conf()")
        await until(lambda: _is_so(self.primary_url, f"select not exists ({STREAMS})"))

    async def fail_over(self) -> None:
        pid = self.primary.postmaster_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await _run(self.replica_url, "select pg_promote()")


@asynccontextmanager
async def pair() -> AsyncIterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as directory:
        root = Path(directory)
        root.chmod(0o755)
        primary = EmbeddedServer(root / "primary", settings={"shared_buffers": "16MB"})
        url = primary.start()
        try:
            conn = await asyncpg.connect(url)
            await migrate(conn)
            await conn.close()
            async with _replica(primary, url, root) as replica_url:
                await until(lambda: _is_so(url, f"select exists ({STREAMS})"))
                yield Pair(primary, url, replica_url, _both(url, replica_url))
        finally:
            primary.stop()


@asynccontextmanager
async def _replica(primary: EmbeddedServer, url: str, root: Path) -> AsyncIterator[str]:
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    pgdata = next((root / "primary").glob("pg*"))
    account = account_for(pgdata)
    bin_dir = usable_by(account, find_binaries(primary.bin_dir)).bin_dir
    home, sockets = root / "replica", root / "sockets"
    for path in (home, sockets):
        path.mkdir(mode=0o700)
        account.give(path)
    # Copied while it is stopped: not every set of programs that the tests run on has a pg_basebackup.
    primary.stop()
    copied = account.run(
        ["/bin/sh", "-c", 'cp -R "$1/." "$2" && touch "$2/standby.signal"', "sh", pgdata, home]
    )
    assert copied.returncode == 0, copied.stdout
    primary.start()
    with (home / "postgresql.auto.conf").open("a") as settings_file:
        settings_file.write(f"primary_conninfo = 'host={query['host']} port={query['port']} user=holdfast'\n")
    log = os.open(root / "replica.log", os.O_CREAT | os.O_WRONLY)
    settings = {
        "port": str(PORT),
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "max_connections": "200",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    process = account.start([bin_dir / "postgres", "-D", home, "-c", "search_path=public", *options], log)
    try:
        replica_url = f"postgresql://holdfast@/holdfast?host={quote(str(sockets))}&port={PORT}"
        await until(lambda: _is_up(process, replica_url, root / "replica.log"))
        yield replica_url
    finally:
        process.send_signal(signal.SIGQUIT)
        process.wait()
        os.close(log)


async def _is_up(process: "Popen[bytes]", url: str, log: Path) -> bool:
    assert process.poll() is None, log.read_text()
    try:
        await _run(url, "select 1")
    except (OSError, asyncpg.PostgresError):
        return False
    return True


def _both(one: str, other: str) -> str:
    hosts = [parse_qs(urlsplit(url).query) for url in (one, other)]
    host = ",".join(query["host"][0] for query in hosts)
    port = ",".join(query["port"][0] for query in hosts)
    return (
        f"postgresql://holdfast@/holdfast?host={quote(host)}&port={quote(port)}&target_session_attrs=primary"
    )


async def _run(url: str, statement: str) -> None:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(statement)
    finally:
        await conn.close()


async def _is_so(url: str, question: str) -> bool:
    conn = await asyncpg.connect(url)
    try:
        return bool(await conn.fetchval(question))
    finally:
        await conn.close()


async def reconnected(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    """A connection to whoever is the primary, once there is one."""

    async def attempt() -> "asyncpg.Connection[asyncpg.Record] | None":
        try:
            return await asyncpg.connect(url, timeout=5)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await asyncio.sleep(0.1)
            return None

    found: asyncpg.Connection[asyncpg.Record] = await until(attempt)
    return found
