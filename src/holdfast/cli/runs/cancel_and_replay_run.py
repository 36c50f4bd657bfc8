"""`holdfast runs cancel` and `holdfast runs replay`."""

from typing import Annotated

import typer

from holdfast.cli.frame.bulk_action import confirm
from holdfast.cli.frame.common_options import (
    DryRun,
    OneRun,
    Reason,
    Yes,
    actor,
    read_run_id,
)
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.session import with_database
from holdfast.client.run import cancel_all, progress_of, replay_all
from holdfast.db.connect import Database
from holdfast.model.human_readable import counted
from holdfast.model.run_progress import Which


def cancel_run(
    context: typer.Context, run: OneRun, reason: Reason = None, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Cancel all jobs of a run that have not ended.

    The run is sealed: it takes no more jobs.
    """
    run_id = read_run_id(run)

    async def work(database: Database) -> int | None:
        progress = await progress_of(database, run_id)
        if not _may_go_on("cancel", progress.total - progress.ended, dry_run, yes):
            return None
        return await cancel_all(database, run_id, reason, actor())

    count = with_database(context, work)
    if count is not None:
        write(f"{run} {count} cancelled or asked to stop")


def replay_run(
    context: typer.Context,
    run: OneRun,
    which: Annotated[
        Which, typer.Option(help="Replay only the dead jobs of the run, or all ended jobs.")
    ] = Which.DEAD,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Run the dead jobs of a run again, or all its ended jobs."""
    run_id = read_run_id(run)

    async def work(database: Database) -> tuple[int, int] | None:
        progress = await progress_of(database, run_id)
        count = progress.dead if which is Which.DEAD else progress.ended
        if not _may_go_on("replay", count, dry_run, yes):
            return None
        return await replay_all(database, run_id, which, reason, actor()), count

    answer = with_database(context, work)
    if answer is not None:
        done, count = answer
        write(f"{run} {done} replayed")
        if done < count:
            say(
                f"note: {counted(count - done, 'job')} could not be replayed: another job has the "
                "unique key, or replaced the dead job"
            )


def _may_go_on(word: str, count: int, dry_run: bool, yes: bool) -> bool:
    if dry_run:
        say(f"would {word} {counted(count, 'job')}")
        return False
    confirm(f"{word.capitalize()} {counted(count, 'job')}?", yes)
    return True
