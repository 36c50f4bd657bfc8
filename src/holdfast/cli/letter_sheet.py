"""One dead letter with all that is known about it: as a document, as a line of an export, as a sheet."""

from typing import Any

from holdfast.cli.job_sheet import print_attempts
from holdfast.cli.output import write
from holdfast.cli.render import ago, facts, json_text, plain, print_sheet, print_table
from holdfast.model.dead_letter import LetterSheet
from holdfast.model.job import Job


def document(sheet: LetterSheet) -> dict[str, Any]:
    return {**plain(sheet.letter), "attempts": plain(sheet.attempts), "notes": plain(sheet.notes)}


def export_line(sheet: LetterSheet, job: Job) -> str:
    more = {"payload": job.payload, "labels": job.labels, "created_at": plain(job.created_at)}
    return json_text({**document(sheet), **more})


def print_letter(sheet: LetterSheet) -> None:
    print_sheet(facts(sheet.letter))
    print_attempts(sheet.attempts)
    if sheet.notes:
        write("")
        print_table(
            ("age", "author", "note"),
            ((ago(note.at), note.author, note.note) for note in sheet.notes),
            keep=("age", "author"),
        )
