"""`holdfast dead show`: one dead letter with all that is known about it."""

import typer

from holdfast.cli.frame.common_options import Json, OneJob, read_job_id
from holdfast.cli.frame.output import write
from holdfast.cli.frame.render import (
    ago,
    facts,
    print_json,
    print_sheet,
    print_table,
)
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.show_job import print_attempts
from holdfast.client.dead import letter_document, require_sheet
from holdfast.model.dead_letter import LetterSheet


def show_letter(
    context: typer.Context,
    job: OneJob,
    as_json: Json = False,
) -> None:
    """Show a dead job: payload, errors and notes.

    This also works for a job that was replayed after it died.
    """
    job_id = read_job_id(job)
    sheet = with_database(context, lambda database: require_sheet(database, job_id))
    if as_json:
        print_json(letter_document(sheet))
    else:
        _print(sheet)


def _print(sheet: LetterSheet) -> None:
    asked = {"payload": sheet.payload, "labels": sheet.labels, "created_at": sheet.created_at}
    print_sheet(facts(sheet.letter) | asked)
    print_attempts(sheet.attempts)
    if sheet.notes:
        write("")
        print_table(
            ("age", "author", "note"),
            ((ago(note.at), note.author, note.note) for note in sheet.notes),
            keep=("age", "author"),
        )
