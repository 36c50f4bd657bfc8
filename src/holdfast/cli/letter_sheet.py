"""One dead letter with all that is known about it: as a document and as a sheet."""

from typing import Any

from holdfast.cli.job_sheet import print_attempts
from holdfast.cli.output import write
from holdfast.cli.render import ago, facts, plain, print_sheet, print_table
from holdfast.model.dead_letter import LetterSheet


def document(sheet: LetterSheet) -> dict[str, Any]:
    known = plain(sheet)
    return {**known.pop("letter"), **known}


def print_letter(sheet: LetterSheet) -> None:
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
