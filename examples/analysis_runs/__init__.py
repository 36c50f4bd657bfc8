"""500 queries as one run by workers that live 25 s; one is killed, and one query kills its workers."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examples.options import Options
    from examples.verdict import Verdict

FAULTS = ("delete-row", "double-reply")


async def main(options: "Options") -> "Verdict":
    # Imported late: every worker process imports this package, and should start quickly.
    from examples.analysis_runs.scenario import play

    return await play(options)
