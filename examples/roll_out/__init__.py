"""A queue table of one's own moves to Holdfast in phases: 20 % of the users, back, 50 %, all."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examples.options import Options
    from examples.verdict import Verdict

FAULTS = ("delete-row", "double-reply")


async def main(options: "Options") -> "Verdict":
    # Imported late: the worker process imports this package, and should start quickly.
    from examples.roll_out.scenario import play

    return await play(options)
