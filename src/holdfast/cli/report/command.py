"""`holdfast report`."""

from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.output import say
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.report.print_text import print_text
from holdfast.client.report.read_report import read_report
from holdfast.model.error import InvalidOption


def report(
    context: typer.Context,
    since: Annotated[
        str, typer.Option(metavar="DURATION", help="How far to look back, at most 30d.")
    ] = "24h",
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a self-contained HTML page with charts to this file.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Covers throughput, durations, retries, cost, errors, endpoints, pipelines, slow jobs and workers.

    Reads all figures in one snapshot of the database, and compares them with those of the previous period.
    """
    found = with_database(context, lambda database: read_report(database, since))
    if html is not None:
        from holdfast.report.page import html_page

        _save(html, html_page(found))
    if as_json:
        print_json(found)
    elif html is None:
        print_text(found)


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise InvalidOption(
            f"The report cannot be written to {path}: {exc.strerror}.",
            "name a file in a directory that you may write to",
        ) from exc
    say(f"wrote {path}")
