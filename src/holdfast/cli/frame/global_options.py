"""The options before the command: which database, and how much to say."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from holdfast.model.error import InvalidOption
from holdfast.telemetry.log_setup import LogFormat, start_log

LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Target:
    """What was asked for on the command line itself; None leaves the choice to the environment."""

    database: str | None = None
    data_dir: Path | None = None
    log_level: str | None = None
    log_format: LogFormat = LogFormat.TEXT

    given: ClassVar["Target"]


def _print_version(value: bool) -> None:
    if value:
        from holdfast.cli.frame.version import print_version

        print_version()
        raise typer.Exit


def choose_target(
    context: typer.Context,
    database: Annotated[
        str | None,
        typer.Option(
            envvar="HOLDFAST_DATABASE_URL",
            metavar="URL",
            help="Use this database. By default DATABASE_URL, else the PG* variables, else an embedded "
            "PostgreSQL, which Holdfast starts.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            envvar="HOLDFAST_DATA_DIR",
            metavar="DIRECTORY",
            help="Use the embedded PostgreSQL that keeps its data in this directory.",
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(help=f"The lowest level to log on stderr: {', '.join(LEVELS)}.", metavar="LEVEL"),
    ] = None,
    log_format: Annotated[
        LogFormat, typer.Option(help="How to log: lines of text for people, or one JSON object per line.")
    ] = LogFormat.TEXT,
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
    context.obj = Target.given = _target(database, data_dir, log_level, log_format)


def target_of(context: typer.Context) -> Target:
    found = context.find_object(Target)
    return found or Target()


def use_data_dir(directory: Path) -> None:
    """Passed on to the embedded server and to workers that this process starts."""
    os.environ["HOLDFAST_DATA_DIR"] = str(directory.expanduser().absolute())


def start_logging(target: Target, default: str = "warning") -> None:
    start_log(target.log_level or default, target.log_format)


def _target(
    database: str | None, data_dir: Path | None, log_level: str | None, log_format: LogFormat
) -> Target:
    """Values that only repeat the environment are left to it: it knows to say where they came from."""
    if database == os.environ.get("HOLDFAST_DATABASE_URL"):
        database = None
    if data_dir is not None and str(data_dir) == os.environ.get("HOLDFAST_DATA_DIR"):
        data_dir = None
    if database and data_dir:
        raise InvalidOption(
            "Both --database and --data-dir are given.",
            "leave out one of them; --data-dir is only for the embedded PostgreSQL",
        )
    if log_level is not None and log_level.lower() not in LEVELS:
        raise InvalidOption(
            f"--log-level must be one of {', '.join(LEVELS)} (got {log_level!r}).",
            "choose one of these levels",
        )
    return Target(database, data_dir, log_level, log_format)
