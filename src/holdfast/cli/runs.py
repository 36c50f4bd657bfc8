"""`holdfast runs`."""

from typing import Annotated, Any

import typer

from holdfast.cli.options import (
    DryRun,
    Json,
    Labels,
    Limit,
    Reason,
    WaitTimeout,
    Yes,
    actor,
    duration,
    identifier,
    labels,
)
from holdfast.cli.output import say, write
from holdfast.cli.render import ago, counts, facts, plain, print_json, print_sheet, print_table, roughly
from holdfast.cli.selection import confirm
from holdfast.cli.session import with_database
from holdfast.cli.wait import wait_for
from holdfast.db import reads, runs
from holdfast.db.connect import Database
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption, NotFound
from holdfast.model.id import RunId
from holdfast.model.run import LIVE, RunProgress, Which

BUDGET = ("budget", "spent", "reserved", "max_units", "used_units", "reserved_units")
ETA = ("eta", "eta_low", "eta_high")
app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
Id = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]
MaxUnits = Annotated[float | None, typer.Option(min=0, help="Units that its calls may use in all.")]


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("start")
def start_run(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for.")],
    label: Labels = None,
    budget: Annotated[str | None, typer.Option(help="What it may cost, such as '5 USD'.")] = None,
    max_units: MaxUnits = None,
) -> None:
    """Start a run and print its id: enqueue jobs with it as --run, then seal it."""
    options: dict[str, Any] = {} if label is None else {"labels": labels(label)}
    if budget is not None:
        options["budget"] = budget
    if max_units is not None:
        options["max_units"] = max_units
    write(str(with_database(context, lambda database: runs.start_run(database, name, options))))


@app.command("list")
def list_runs(context: typer.Context, limit: Limit = 50, as_json: Json = False) -> None:
    """Newest first."""
    found = with_database(context, lambda database: reads.list_runs(database, limit))
    if as_json:
        print_json({"runs": found})
        return
    print_table(
        ("id", "name", "state", "done", "dead", "age"),
        (
            (
                str(run.id),
                run.name,
                run.state,
                f"{run.completed + run.rejected + run.cancelled + run.dead}/{run.total}",
                run.dead,
                ago(run.created_at),
            )
            for run in found
        ),
        keep=("id", "state", "done", "dead", "age"),
    )


@app.command("show")
def show_run(context: typer.Context, run: Id, as_json: Json = False) -> None:
    """How far a run has come."""
    run_id = _id(run)
    _show(with_database(context, lambda database: _progress(database, run_id)), as_json)


@app.command("wait")
def wait_run(context: typer.Context, run: Id, timeout: WaitTimeout = None, as_json: Json = False) -> None:
    """Until it has ended; exits 1 unless all its jobs completed, 7 if the time is up."""
    run_id, limit = _id(run), duration(timeout)
    progress = with_database(
        context,
        lambda database: wait_for(
            lambda: _progress(database, run_id), lambda seen: seen.ended_at is not None, limit, "its jobs"
        ),
    )
    _show(progress, as_json)
    if progress.completed < progress.total:
        raise typer.Exit(1)


@app.command("seal")
def seal_run(context: typer.Context, run: Id) -> None:
    """Say that the last job is in: only a sealed run can end."""
    run_id = _id(run)
    ended = with_database(context, lambda database: runs.seal_run(database, run_id))
    write(f"{run} {'ended' if ended else 'sealed'}")


@app.command("raise-budget")
def raise_budget(
    context: typer.Context,
    run: Id,
    amount: Annotated[float | None, typer.Argument(help="What it may cost in all.")] = None,
    max_units: MaxUnits = None,
    reason: Reason = None,
) -> None:
    """Let a run cost more, or use more units; its jobs that waited for that go on."""
    if amount is None and max_units is None:
        raise InvalidOption("Nothing to raise.", "give the amount it may cost in all, or --max-units")
    run_id = _id(run)
    count = with_database(
        context, lambda database: runs.raise_budget(database, run_id, amount, reason, actor(), max_units)
    )
    write(f"{run} {count} go on")


@app.command("extend")
def extend_run(
    context: typer.Context,
    run: Id,
    by: Annotated[str, typer.Option(help="How much more, such as 2h; from now if its time is over.")],
    reason: Reason = None,
) -> None:
    """Give a run more time; its jobs that waited for that go on."""
    run_id, more = _id(run), parse_duration(by)
    count = with_database(context, lambda database: runs.extend_run(database, run_id, more, reason, actor()))
    write(f"{run} {count} go on")


@app.command("cancel")
def cancel_run(
    context: typer.Context, run: Id, reason: Reason = None, dry_run: DryRun = False, yes: Yes = False
) -> None:
    """Seal a run and cancel what has not ended of it."""
    run_id = _id(run)

    async def work(database: Database) -> int | None:
        progress = await _progress(database, run_id)
        if not _may_go_on("cancel", progress.total - progress.ended, dry_run, yes):
            return None
        return await _cancel_all(database, run_id, reason)

    count = with_database(context, work)
    if count is not None:
        write(f"{run} {count} cancelled or asked to stop")


@app.command("replay")
def replay_run(
    context: typer.Context,
    run: Id,
    which: Annotated[Which, typer.Option(help="Which of its ended jobs.")] = Which.DEAD,
    reason: Reason = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Start the dead jobs of a run again, or all of them."""
    run_id = _id(run)

    async def work(database: Database) -> tuple[int, int] | None:
        progress = await _progress(database, run_id)
        count = progress.dead if which is Which.DEAD else progress.ended
        if not _may_go_on("replay", count, dry_run, yes):
            return None
        return await runs.replay_run(database, run_id, which, reason, actor()), count

    answer = with_database(context, work)
    if answer is not None:
        done, count = answer
        write(f"{run} {done} replayed")
        if done < count:
            say(f"note: {count - done} were not replayed: their unique key is taken, or they were replaced")


def _may_go_on(word: str, count: int, dry_run: bool, yes: bool) -> bool:
    if dry_run:
        say(f"would {word} {count} jobs")
        return False
    confirm(f"{word.capitalize()} {count} jobs?", yes)
    return True


async def _progress(database: Database, run: RunId) -> RunProgress:
    found = await runs.run_progress(database, run)
    if found is None:
        raise NotFound(f"There is no run {run}.", "holdfast runs list shows those there are")
    return found


async def _cancel_all(database: Database, run: RunId, reason: str | None) -> int:
    """The verb takes a batch at a time, so that no single call runs into a timeout."""
    total = 0
    while count := await runs.cancel_run(database, run, reason, actor()):
        total += count
    return total


def _show(progress: RunProgress, as_json: bool) -> None:
    if as_json:
        print_json({**plain(progress), "more_than": progress.more_than})
    else:
        print_sheet(_sheet(progress))


def _sheet(progress: RunProgress) -> dict[str, Any]:
    """At a glance: of a budget what is used, what running calls hold and the limit; of the eta its spread."""
    budgets = {
        "budget": _used(progress.spent, progress.reserved, progress.budget),
        "units": _used(progress.used_units, progress.reserved_units, progress.max_units),
    }
    shown = dict(zip(LIVE, counts(progress, LIVE, progress.more_than), strict=True))
    known = {name: value for name, value in facts(progress).items() if name not in (*BUDGET, *ETA)}
    rate = None if progress.rate_per_minute is None else f"{progress.rate_per_minute:.3g}"
    return known | shown | {"rate_per_minute": rate, "eta": _eta(progress)} | budgets


def _eta(progress: RunProgress) -> str | None:
    """With its spread; a run that waits for its budget says so instead."""
    if progress.blocker is not None:
        return "none: it waits for its budget"
    if progress.eta is None:
        return None
    return f"{roughly(progress.eta)} ({roughly(progress.eta_low)} to {roughly(progress.eta_high)})"


def _used(used: float | None, reserved: float | None, limit: float | None) -> str | None:
    if used is None or limit is None:
        return None
    return f"{used:.6g} used, {reserved or 0:.6g} reserved, limit {limit:.6g}"


def _id(run: str) -> RunId:
    return RunId(identifier(run, "run"))
