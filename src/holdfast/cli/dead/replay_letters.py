"""`holdfast dead replay`: runs dead jobs again, one by id, or all that match, paced and with a canary."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import typer

from holdfast.cli.dead.letter_filter_options import All, Jobs, chosen_jobs, letter_filter
from holdfast.cli.frame.bulk_action import Manner, act_on_jobs, confirm, manner_of, preview
from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.frame.output import say, write
from holdfast.cli.frame.progress_bar import ProgressBar
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.cancel_and_replay import Stage
from holdfast.cli.jobs.enqueue import read_payload
from holdfast.client import replay
from holdfast.client.dead import require_dead
from holdfast.client.filters import LetterFilter, letter_wire
from holdfast.client.job_actions import JobSelection
from holdfast.client.pager import every_letter
from holdfast.db import dead, jobs
from holdfast.db.connect import Database
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.human_readable import counted
from holdfast.model.id import JobId


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How to replay."""

    reason: str | None
    manner: Manner
    canary: bool
    canary_timeout: timedelta
    stage: str | None
    as_json: bool


@takes(filters=letter_filter, manner=manner_of)
def replay_letters(
    context: typer.Context,
    filters: LetterFilter,
    manner: Manner,
    ids: Jobs = None,
    everything: All = False,
    canary: Annotated[
        bool,
        typer.Option("--canary", help="Replay one job first, and the others only if that job completes."),
    ] = False,
    canary_timeout: Annotated[
        str, typer.Option(metavar="DURATION", help="With --canary: wait at most this long for the first job.")
    ] = "10m",
    stage: Stage = None,
    payload: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="Replace the dead job by a new job with this payload. Give the id of exactly one job.",
        ),
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Run dead jobs again, oldest first.

    Resolved and ignored jobs are skipped, unless you give their ids or their --status. If the command is
    interrupted, run it again: no job is replayed twice.
    """
    chosen = chosen_jobs(ids, filters, everything)
    asked = ReplayOptions(reason, manner, canary, parse_duration(canary_timeout), stage, as_json)
    if payload is not None:
        _replace(context, chosen, payload, asked)
    elif chosen:
        _replay_named(context, JobSelection(tuple(chosen)), asked)
    else:
        _replay_matching(context, filters, asked)


def _replace(context: typer.Context, chosen: list[JobId], payload: str, asked: ReplayOptions) -> None:
    if len(chosen) != 1:
        raise InvalidOption("--payload needs the id of exactly one job.", "give one id, and no filters")
    if asked.stage is not None:
        raise InvalidOption(
            "--payload and --stage cannot be combined.",
            "leave out --stage; a job with a new payload starts at the first stage",
        )
    text = read_payload(payload)
    if asked.manner.dry_run:
        say("would replace 1 job")
        write(str(chosen[0]))
        return
    new = with_database(
        context, lambda database: dead.replace_job(database, chosen[0], text, asked.reason, actor())
    )
    if asked.as_json:
        print_json({"job": chosen[0], "replaced_by": new})
    else:
        write(str(new))


def _replay_named(context: typer.Context, selection: JobSelection, asked: ReplayOptions) -> None:
    if asked.canary:
        raise InvalidOption(
            "--canary works with a filter, not with ids.",
            "replay one id first; when that job has completed, replay the other ids",
        )

    async def check(database: Database) -> None:
        await require_dead(database, selection.ids)

    act_on_jobs(
        context,
        "replay",
        selection,
        lambda database, batch: jobs.replay_jobs(database, batch, asked.reason, actor(), asked.stage),
        asked.manner,
        asked.as_json,
        check,
    )


def _replay_matching(context: typer.Context, filters: LetterFilter, asked: ReplayOptions) -> None:
    async def work(database: Database) -> replay.ReplayReport | None:
        wire = await letter_wire(database, filters)
        if asked.manner.dry_run:
            await preview("replay", _candidates(database, wire))
            return None
        count = await dead.count_replayable(database, wire)
        if count:
            confirm(f"Replay {counted(count, 'dead job')}?", asked.manner.yes)
        return await _paced(database, wire, count, asked)

    report = with_database(context, work)
    if report is not None:
        _conclude(report, asked.as_json)


async def _candidates(database: Database, wire: dict[str, Any]) -> AsyncIterator[JobId]:
    """What a replay would take: unless a status is asked for, what is resolved or ignored stays dead."""
    left_alone = () if "status" in wire else (Triage.RESOLVED, Triage.IGNORED)
    async for letter in every_letter(database, wire):
        if letter.status not in left_alone:
            yield letter.job


async def _paced(
    database: Database, wire: dict[str, Any], total: int, asked: ReplayOptions
) -> replay.ReplayReport:
    plan = replay.ReplayPlan(
        wire,
        asked.reason,
        actor(),
        asked.manner.pace,
        int(asked.canary),
        asked.canary_timeout,
        stage=asked.stage,
    )
    done = 0

    def progress(report: replay.ReplayReport) -> None:
        nonlocal done
        done = report.replayed
        bar.show(done)

    with ProgressBar("replay", total) as bar:
        try:
            return await replay.replay_letters(database, plan, progress)
        except asyncio.CancelledError:
            say(
                f"interrupted after {done:,} of {total:,}; run the same command again for the rest: no "
                "job is replayed twice"
            )
            raise


def _conclude(report: replay.ReplayReport, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        refused = "".join(f", {count:,} {result}" for result, count in sorted(report.refused.items()))
        write(f"{report.replayed:,} replayed{refused}")
    if report.stopped:
        say(f"error: {report.stopped} The other jobs were not replayed.")
        say("hint: holdfast dead groups shows the errors of dead jobs")
        raise typer.Exit(1)
