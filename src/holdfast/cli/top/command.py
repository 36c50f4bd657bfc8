"""`holdfast top`: on a terminal until q is pressed; elsewhere one frame."""

import os
import shutil
import sys
from typing import Annotated

import typer
from rich.console import Console

from holdfast.cli.output import write
from holdfast.cli.session import with_database
from holdfast.cli.top.frame import frame
from holdfast.cli.top.screen import watch
from holdfast.cli.top.view import View
from holdfast.db.connect import Database
from holdfast.db.glance import glance
from holdfast.model.duration import parse_duration

WIDTH = 80


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(top)


def top(
    context: typer.Context,
    every: Annotated[str, typer.Option(help="How often to look, such as 2s.")] = "2s",
) -> None:
    """Keys: q quit, arrows select, enter the queue's jobs, p pause or resume, r replay its dead jobs."""
    pause = parse_duration(every)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with_database(context, lambda database: watch(database, pause))
    else:
        with_database(context, _once)


async def _once(database: Database) -> None:
    width = shutil.get_terminal_size().columns if os.environ.get("COLUMNS") else WIDTH
    console = Console(highlight=False, width=width)
    with console.capture() as captured:
        console.print(frame(View(await glance(database)), width))
    for line in captured.get().splitlines():
        write(line.rstrip())
