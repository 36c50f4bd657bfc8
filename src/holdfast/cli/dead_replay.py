"""`holdfast dead replay`: brings dead jobs back, one by name, or all that match, paced and with a canary."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import typer

from holdfast.cli.bulk import Manner, Touched, in_batches, judge, manner_of, preview, show
from holdfast.cli.enqueue import read_payload
from holdfast.cli.letter_filter import (
    All,
    Jobs,
    LetterFilter,
    chosen_jobs,
    every_letter,
    letter_filter,
)
from holdfast.cli.option_set import takes
from holdfast.cli.options import Json, Reason, actor
from holdfast.cli.output import say, write
from holdfast.cli.progress_bar import ProgressBar
from holdfast.cli.render import print_json
from holdfast.cli.selection import Selection, confirm
from holdfast.cli.session import with_database
from holdfast.client.replay import ReplayPlan, ReplayReport, replay_letters
from holdfast.db import dead, jobs
from holdfast.db.connect import Database
from holdfast.model.dead_letter import Triage
from holdfast.model.duration import parse_duration
from holdfast.model.error import Conflict, InvalidOption, NotFound
from holdfast.model.id import JobId
from holdfast.model.queue import ReplayResult

REFUSALS: dict[str, str] = {
    ReplayResult.LIVE: "has not ended",
    ReplayResult.CONFLICT: "lost its unique key to another job",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """How the replay shall go."""

    reason: str | None
    manner: Manner
    canary: bool
    canary_timeout: timedelta
    as_json: bool


def register(app: typer.Typer) -> None:
    app.command("replay")(replay)


@takes(filters=letter_filter, manner=manner_of)
def replay(
    context: typer.Context,
    filters: LetterFilter,
    manner: Manner,
    ids: Jobs = None,
    everything: All = False,
    canary: Annotated[bool, typer.Option("--canary", help="One first; the rest if it completes.")] = False,
    canary_timeout: Annotated[str, typer.Option(help="How long to wait for the canary.")] = "10m",
    payload: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Enqueue a new job with this payload in place of the dead one."),
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Run dead jobs again, oldest first. Interrupted, simply run it again: none is replayed twice."""
    chosen = chosen_jobs(ids, filters, everything)
    asked = Asked(reason, manner, canary, parse_duration(canary_timeout), as_json)
    if payload is not None:
        _replace(context, chosen, payload, asked)
    elif chosen:
        _replay_named(context, chosen, asked)
    else:
        _replay_matching(context, filters, asked)


def _replace(context: typer.Context, chosen: list[JobId], payload: str, asked: Asked) -> None:
    if len(chosen) != 1:
        raise InvalidOption("--payload is for one job.", "name the job whose payload you edited")
    text = read_payload(payload)
    if asked.manner.dry_run:
        preview("replace", chosen)
        return
    new = with_database(
        context, lambda database: dead.replace_job(database, chosen[0], text, asked.reason, actor())
    )
    if asked.as_json:
        print_json({"job": chosen[0], "replaced_by": new})
    else:
        write(str(new))


def _replay_named(context: typer.Context, chosen: list[JobId], asked: Asked) -> None:
    if asked.canary:
        raise InvalidOption("--canary is for a filter.", "replay one job, look at it, then the others")
    if asked.manner.dry_run:
        preview("replay", chosen)
        return

    async def verb(database: Database, batch: list[JobId]) -> list[Touched]:
        answer = await jobs.replay_jobs(database, batch, asked.reason, actor())
        return [Touched(job.id, job.result.value) for job in answer]

    async def work(database: Database) -> list[Touched]:
        for job in chosen:
            await _expect_dead(database, job)
        return await in_batches(database, chosen, "replay", verb, asked.manner.pace)

    results = with_database(context, work)
    show(results, asked.as_json)
    judge(results, Selection(tuple(chosen), {}, ()), REFUSALS)


async def _expect_dead(database: Database, job: JobId) -> None:
    """The verb would replay a completed job as well."""
    letter = await dead.get_letter(database, job)
    if letter is None:
        raise NotFound(f"The job {job} has no dead letter.", "holdfast jobs replay takes any job that ended")
    if letter.replayed_at is not None:
        raise Conflict(
            f"The job {job} was replayed and is not dead now.", "look at it with holdfast jobs show"
        )


def _replay_matching(context: typer.Context, filters: LetterFilter, asked: Asked) -> None:
    async def work(database: Database) -> ReplayReport | None:
        wire = await filters.wire(database)
        ids = await _candidates(database, wire)
        if asked.manner.dry_run:
            preview("replay", ids)
            return None
        if ids:
            confirm(f"Replay {len(ids)} dead jobs?", asked.manner.yes)
        return await _paced(database, wire, len(ids), asked)

    report = with_database(context, work)
    if report is not None:
        _conclude(report, asked.as_json)


async def _candidates(database: Database, filters: dict[str, Any]) -> list[JobId]:
    """What a replay would take: unless a status is asked for, what is resolved or ignored stays dead."""
    left_alone = () if "status" in filters else (Triage.RESOLVED, Triage.IGNORED)
    return [one.job async for one in every_letter(database, filters) if one.status not in left_alone]


async def _paced(database: Database, filters: dict[str, Any], total: int, asked: Asked) -> ReplayReport:
    plan = ReplayPlan(
        filters, asked.reason, actor(), asked.manner.pace, int(asked.canary), asked.canary_timeout
    )
    done = 0

    def progress(report: ReplayReport) -> None:
        nonlocal done
        done = report.replayed
        bar.show(done)

    with ProgressBar("replay", total) as bar:
        try:
            return await replay_letters(database, plan, progress)
        except asyncio.CancelledError:
            say(f"interrupted after {done} of {total}; run it again to go on, none is replayed twice")
            raise


def _conclude(report: ReplayReport, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        refused = "".join(f", {count} {result}" for result, count in sorted(report.refused.items()))
        write(f"{report.replayed} replayed{refused}")
    if report.stopped:
        say(f"error: {report.stopped} The rest was left alone.")
        say("hint: holdfast dead groups shows what it died of")
        raise typer.Exit(1)
