"""`holdfast top`: on a terminal until q is pressed; elsewhere one frame."""

import os
import shutil
import sys
from typing import Annotated

import typer
from rich.console import Console

from holdfast.cli.frame.output import write
from holdfast.cli.frame.session import with_database
from holdfast.cli.top.layout import frame
from holdfast.cli.top.screen import watch
from holdfast.cli.top.view import View
from holdfast.db.connect import Database
from holdfast.db.overview import overview
from holdfast.model.duration import parse_duration

WIDTH = 80
ENDLESS = 1000


def top(
    context: typer.Context,
    every: Annotated[str, typer.Option(metavar="DURATION", help="How often to refresh.")] = "2s",
) -> None:
    """Keys: q quits; the arrows select a queue. For the selected queue, Enter shows its jobs, p pauses or
    resumes it, and r replays its dead jobs.
    """
    pause = parse_duration(every)
    if sys.stdin.isatty() and sys.stdout.isatty():
        with_database(context, lambda database: watch(database, pause))
    else:
        with_database(context, _once)


async def _once(database: Database) -> None:
    width = shutil.get_terminal_size().columns if os.environ.get("COLUMNS") else WIDTH
    console = Console(highlight=False, width=width)
    with console.capture() as captured:
        console.print(frame(View(await overview(database)), width, ENDLESS))
    for line in captured.get().splitlines():
        write(line.rstrip())
