"""The options before the command: which database, and how much to say."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from holdfast.model.error import InvalidOption

LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked for on the command line itself; None leaves the choice to the environment."""

    database: str | None = None
    data_dir: Path | None = None
    log_level: str | None = None


def _print_version(value: bool) -> None:
    if value:
        from holdfast.cli.version import print_version

        print_version()
        raise typer.Exit


def choose_target(
    context: typer.Context,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="HOLDFAST_DATABASE_URL",
            metavar="URL",
            help="The database; without any, an embedded PostgreSQL is used.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(envvar="HOLDFAST_DATA_DIR", help="Where the embedded PostgreSQL keeps its data."),
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help=f"What to log on stderr: {', '.join(LEVELS)}.", metavar="LEVEL")
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,  # before it is missed that no command was given
            allow_from_autoenv=False,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    context.obj = _target(database, data_dir, log_level)


def target_of(context: typer.Context) -> Target:
    found = context.find_object(Target)
    return found or Target()


def start_logging(target: Target, default: str = "warning") -> None:
    level = (target.log_level or default).upper()
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(message)s")


def _target(database: str | None, data_dir: Path | None, log_level: str | None) -> Target:
    """Values that only repeat the environment are left to it: it knows to say where they came from."""
    if database == os.environ.get("HOLDFAST_DATABASE_URL"):
        database = None
    if data_dir is not None and str(data_dir) == os.environ.get("HOLDFAST_DATA_DIR"):
        data_dir = None
    if database and data_dir:
        raise InvalidOption(
            "Both --database and --data-dir are given.",
            "--data-dir is for the embedded PostgreSQL: leave out one of them",
        )
    if log_level is not None and log_level.lower() not in LEVELS:
        raise InvalidOption(f"There is no log level {log_level!r}.", f"choose one of {', '.join(LEVELS)}")
    return Target(database, data_dir, log_level)
