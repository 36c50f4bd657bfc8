"""`holdfast worker`."""

import asyncio
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Annotated

import typer

from holdfast.cli.app_path import load_app
from holdfast.cli.data_dir import use_data_dir
from holdfast.cli.options import duration
from holdfast.cli.output import say
from holdfast.cli.session import ensure_schema
from holdfast.cli.target import Target, start_logging, target_of
from holdfast.client.app import Holdfast
from holdfast.db.address import Source
from holdfast.db.embedded import start_embedded
from holdfast.model.error import InvalidOption
from holdfast.worker.report import WorkerReport
from holdfast.worker.worker import Worker


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(work)


def work(
    context: typer.Context,
    app: Annotated[
        str, typer.Option("--app", "-A", envvar="HOLDFAST_APP", help="Where the app is: package.module:app.")
    ],
    queues: Annotated[
        str | None, typer.Option(help="Such as chat,mail:3 (3 is a weight); else all queues of the app.")
    ] = None,
    slots: Annotated[int, typer.Option(min=1, max=10_000, help="How many jobs run at once.")] = 50,
    group: Annotated[str | None, typer.Option(help="Also claim jobs that name this group.")] = None,
    drain: Annotated[bool, typer.Option("--drain", help="Leave when the queues are empty.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Claim once, finish that, and leave.")] = False,
    lease: Annotated[str, typer.Option(help="After this long without a sign it is taken for lost.")] = "30s",
    grace: Annotated[str, typer.Option(help="How long running jobs may go on after SIGTERM.")] = "25s",
    stagger: Annotated[str | None, typer.Option(help="Start after a random part of this.")] = None,
) -> None:
    """SIGTERM or Ctrl-C: claims nothing more, lets running jobs finish within the grace, and leaves."""
    target = target_of(context)
    start_logging(target, "info")
    with _database_for(target):
        loaded = load_app(app)
        options = _Options(_queues(queues, loaded), slots, group, drain, once, lease, grace)
        report = _run(_work(loaded, target, options, duration(stagger)))
    say(f"holdfast: {report.processed} jobs done, {report.failed} failed attempts")
    if report.unsettled:
        say(f"warning: {report.unsettled} ends could not be sent; those jobs will run again")
        raise typer.Exit(1)
