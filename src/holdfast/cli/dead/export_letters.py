"""`holdfast dead export`."""

import typer

from holdfast.cli.dead.letter_filter_options import letter_filter
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.session import with_database
from holdfast.client import dead
from holdfast.client.filters import LetterFilter
from holdfast.db.connect import Database


@takes(filters=letter_filter)
def export_letters(context: typer.Context, filters: LetterFilter) -> None:
    """Print dead jobs as JSON, one line per job.

    Each line has the payload, labels, attempts and notes of one job.
    """

    async def export(database: Database) -> int:
        count = 0
        async for line in dead.export_letters(database, filters):
            write(line)
            count += 1
        return count

    say(f"{with_database(context, export):,} exported")
