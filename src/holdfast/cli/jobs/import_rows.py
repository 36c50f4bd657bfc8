"""`holdfast import`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from holdfast.cli.frame.common_options import DryRun, Json, actor
from holdfast.cli.frame.output import say
from holdfast.cli.frame.progress_bar import ProgressBar
from holdfast.cli.frame.render import Columns, print_json, print_list, print_sheet
from holdfast.cli.frame.session import with_database
from holdfast.client.import_rows import ImportResult, OnProgress, Refusal
from holdfast.client.import_rows import import_rows as read_and_store
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.import_mapping import ImportMapping, read_mapping
from holdfast.model.json_document import json_text

REFUSED = 1
SHOWN = 20
COLUMNS: Columns[Refusal] = {"id": lambda one: one.id, "reason": lambda one: one.reason}
Source = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="URL", help="Read the table in this database. By default in Holdfast's database."
    ),
]


def import_rows(
    context: typer.Context,
    table: Annotated[
        str, typer.Option("--table", metavar="TABLE", help="The table to read, such as public.alert_queue.")
    ],
    mapping: Annotated[
        Path, typer.Option("--map", metavar="FILE", help="A TOML file that says how a row becomes a job.")
    ],
    source: Source = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FILE", help="Write each refused row to this file, as a line of JSON."
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Enqueues each pending row once, even if you repeat the import: the id of the row becomes the unique
    key of the job.

    The table stays as it is. If a row is refused, the import enqueues the other rows and exits with code 1.
    """
    rules = read_mapping(_text_of(mapping), str(mapping))

    async def work(database: Database) -> ImportResult:
        with _written(report) as refused:
            if source is None:
                return await _import(database, table, rules, dry_run, refused)
            async with Database(source, pool_size=1, application_name="holdfast cli") as other:
                return await _import(database, table, rules, dry_run, refused, other)

    result = with_database(context, work)
    _print(result, report, as_json)
    if result.refused:
        raise typer.Exit(REFUSED)


async def _import(
    database: Database,
    table: str,
    rules: ImportMapping,
    dry_run: bool,
    refused: Callable[[Refusal], None],
    source: Database | None = None,
) -> ImportResult:
    with ExitStack() as stack:
        return await read_and_store(
            database,
            table,
            rules,
            actor(),
            source=source,
            dry_run=dry_run,
            refused=refused,
            progress=_progress(stack),
        )


def _progress(stack: ExitStack) -> OnProgress:
    """The bar appears with the first page, when the number of rows is known."""
    bars: list[ProgressBar] = []

    def show(done: int, total: int) -> None:
        if not bars:
            bars.append(stack.enter_context(ProgressBar("rows", total)))
        bars[0].show(done)

    return show


@contextmanager
def _written(report: Path | None) -> Iterator[Callable[[Refusal], None]]:
    if report is None:
        yield lambda refusal: None
        return
    with _opened(report) as file:
        yield lambda refusal: print(json_text(refusal), file=file)


def _opened(report: Path) -> TextIO:
    try:
        return report.open("w", encoding="utf-8")
    except OSError as exc:
        raise InvalidOption(f"{report} cannot be written: {exc.strerror}.", "name another file") from None


def _text_of(mapping: Path) -> str:
    try:
        return mapping.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise InvalidOption(f"{mapping} cannot be read: {exc}.", "check the name of the file") from None


def _print(result: ImportResult, report: Path | None, as_json: bool) -> None:
    if as_json:
        print_json(result)
        return
    counts = {"pending": result.pending, "enqueued": result.enqueued, "already there": result.existing}
    print_sheet({"table": result.table, **counts, "refused": result.refused})
    if result.refusals:
        print_list(False, "refusals", result.refusals[:SHOWN], COLUMNS, keep=("id",))
    if result.refused > SHOWN:
        where = f"{report} has all of them" if report else "--report FILE writes all of them to a file"
        say(f"note: {result.refused:,} rows were refused; {where}")
    if result.dry_run:
        say("note: this was a dry run; nothing was enqueued")
