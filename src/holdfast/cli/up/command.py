"""`holdfast up`: the API and the workers of an app, for one machine."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.frame.global_options import Target, start_logging, target_of, use_data_dir
from holdfast.cli.frame.output import flush, say_lines, write
from holdfast.cli.frame.session import address_of
from holdfast.cli.serve import DEV, LOGIN_LINK, Host, Port
from holdfast.cli.up.process_tree import ProcessTree, Program
from holdfast.cli.workers.reload import VARIABLE as RELOAD
from holdfast.cli.workers.worker_processes import command_of
from holdfast.db.address import Source
from holdfast.db.embedded import ANNOUNCED, start_embedded
from holdfast.telemetry.log_setup import LogFormat

WIDTH = 9  # of the name before a line: worker-99
URL = re.compile(r"http://\S+:\d+")
NEXT = """holdfast: no app is given, so no job runs in Python; workers in other languages can use the API
holdfast: to run jobs here, write a file such as jobs.py:

    from holdfast import Holdfast

    app = Holdfast()

    @app.task()
    async def greet(name: str) -> str:
        return f"Hello, {name}!"

holdfast: then start 'holdfast up -A jobs:app', and in another terminal:

    holdfast enqueue greet '{"name": "Ada"}'
"""


def up(
    context: typer.Context,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            "-A",
            envvar="HOLDFAST_APP",
            metavar="MODULE:VARIABLE",
            help="Run the tasks of this app, such as shop.jobs:app. You can leave out ':app'. If no app is "
            "given, only the HTTP API runs.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, max=1000, help="Run this many worker processes.")] = 1,
    slots: Annotated[
        int | None,
        typer.Option(
            "--slots",
            "--concurrency",
            min=1,
            max=10_000,
            help="Run at most this many jobs at the same time in each worker.",
        ),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    reload: Annotated[
        bool,
        typer.Option(
            "--reload",
            help="Restart all processes when a .py file below the current directory changes.",
        ),
    ] = False,
    dev: Annotated[
        bool,
        typer.Option(
            "--dev",
            help="For development: calls from this machine need no access key. If no database is given, an "
            "embedded PostgreSQL runs until the command ends.",
        ),
    ] = False,
) -> None:
    """A process that fails is restarted after 1 second. If it keeps failing, the wait grows to 30 seconds.

    On SIGTERM or Ctrl-C, the processes finish their requests and jobs, and exit. At a second
    signal, they give back the jobs that still run, and exit. A third signal kills them.

    To set other options of 'holdfast serve' and 'holdfast worker', use their environment variables.

    Needs the package holdfast-queue[server].
    """
    target = target_of(context)
    start_logging(target, "info")
    _pass_on(target)
    if app is None:
        say_lines(NEXT)
    programs = _Programs(target, app, slots)
    tree = ProcessTree(
        programs.server(host, port, dev),
        [programs.worker(place) for place in range(1, workers + 1)] if app else [],
        _write_json if target.log_format is LogFormat.JSON else _write_text,
        announced,
        Path.cwd() if reload else None,
    )
    with _development_database(target) if dev else nullcontext():
        code = asyncio.run(tree.run())
    raise typer.Exit(code)


def _pass_on(target: Target) -> None:
    """By the environment: every user of the machine can read arguments, and a URL may hold a password."""
    if target.database is not None:
        os.environ["HOLDFAST_DATABASE_URL"] = target.database
    if target.data_dir is not None:
        use_data_dir(target.data_dir)
    os.environ.pop(RELOAD, None)  # this process watches the files


@contextmanager
def _development_database(target: Target) -> Iterator[None]:
    """Kept running while `--reload` restarts all processes that use it."""
    if address_of(target).source is not Source.EMBEDDED:
        yield
        return
    server, _ = start_embedded()
    try:
        yield
    finally:
        server.stop()


@dataclass(frozen=True, slots=True)
class _Programs:
    target: Target
    app: str | None
    slots: int | None

    def server(self, host: str, port: int, dev: bool) -> Program:
        """With the app: its database, and its tasks where a request runs them."""
        of_app = ("--app", self.app) if self.app else ()
        command = self._command("serve", "--host", host, "--port", str(port), *of_app)
        return Program("serve", command, {DEV: "1"} if dev else self._link())

    def worker(self, place: int) -> Program:
        assert self.app is not None
        slots = ("--slots", str(self.slots)) if self.slots else ()
        command = self._command("worker", "--app", self.app, "--processes", "1", *slots)
        return Program(f"worker-{place}", command, {ANNOUNCED: "1"})  # the server has announced the database

    def _link(self) -> dict[str, str]:
        """The server writes a log-in link to a terminal only: other output may be kept as a log."""
        is_seen = sys.stderr.isatty() and self.target.log_format is not LogFormat.JSON
        return {LOGIN_LINK: "1"} if is_seen else {}

    def _command(self, *words: str) -> list[str]:
        level = ("--log-level", self.target.log_level) if self.target.log_level else ()
        return command_of([*level, "--log-format", self.target.log_format, *words])


def announced(line: str) -> bool:
    """Whether the server says where it listens, which is also what a caller of this command wants to know."""
    if not URL.fullmatch(line):
        return False
    write(line)
    flush()
    return True


def _write_text(name: str, line: str) -> None:
    _write(f"{name:<{WIDTH}}| {line}\n")


def _write_json(name: str, line: str) -> None:
    """A line of the log is an object already, with the pid; what was printed becomes one."""
    _write(line + "\n" if line.startswith("{") else json.dumps({"process": name, "message": line}) + "\n")


def _write(text: str) -> None:
    with suppress(BrokenPipeError):  # without a reader, the work goes on
        sys.stderr.write(text)
        sys.stderr.flush()
