"""`holdfast runs show` and `holdfast runs wait`: how far a run has come."""

from typing import Any

import typer

from holdfast.cli.frame.common_options import (
    Json,
    OneRun,
    WaitTimeout,
    duration,
    read_run_id,
)
from holdfast.cli.frame.render import counts, facts, print_json, print_sheet, roughly
from holdfast.cli.frame.session import with_database
from holdfast.client.run import progress_of, run_document
from holdfast.client.wait import wait_until
from holdfast.db.connect import Database
from holdfast.model.id import RunId
from holdfast.model.run_progress import LIVE, RunProgress

BUDGET = ("budget", "spent", "reserved", "max_units", "used_units", "reserved_units")
ETA = ("eta", "eta_low", "eta_high", "no_eta")


def show_run(context: typer.Context, run: OneRun, as_json: Json = False) -> None:
    """Show one run: jobs by state, rate, time left and budget."""
    run_id = read_run_id(run)
    _show(with_database(context, lambda database: progress_of(database, run_id)), as_json)


def wait_run(context: typer.Context, run: OneRun, timeout: WaitTimeout = None, as_json: Json = False) -> None:
    """Wait until a run has ended.

    Exit codes: 0 if all jobs of the run completed, 1 if at least one ended otherwise, 7 if --timeout is over.
    """
    run_id, limit = read_run_id(run), duration(timeout)
    progress = with_database(
        context,
        lambda database: wait_until(lambda: _ended(database, run_id), limit, "The run has not ended"),
    )
    _show(progress, as_json)
    if progress.completed < progress.total:
        raise typer.Exit(1)


async def _ended(database: Database, run: RunId) -> RunProgress | None:
    progress = await progress_of(database, run)
    return progress if progress.ended_at is not None else None


def _show(progress: RunProgress, as_json: bool) -> None:
    if as_json:
        print_json(run_document(progress))
    else:
        print_sheet(_sheet(progress))


def _sheet(progress: RunProgress) -> dict[str, Any]:
    """At a glance: of a budget what is used, what running calls hold and the limit; of the eta its spread."""
    budgets = {
        "budget": _used(progress.spent, progress.reserved, progress.budget),
        "units": _used(progress.used_units, progress.reserved_units, progress.max_units)
        or _number(progress.units),
        "cost": _number(progress.cost),
    }
    shown = dict(zip(LIVE, counts(progress, LIVE, progress.more_than), strict=True))
    known = {name: value for name, value in facts(progress).items() if name not in (*BUDGET, *ETA)}
    rate = None if progress.rate_per_minute is None else f"{progress.rate_per_minute:.3g}"
    return known | shown | {"rate_per_minute": rate, "eta": _eta(progress)} | budgets


def _eta(progress: RunProgress) -> str | None:
    """With its spread; a run without one says why."""
    if progress.blocker is not None:
        return "none: the run waits for a larger budget"
    if progress.eta is None:
        return None if progress.no_eta is None else f"none: {progress.no_eta}"
    basis = "" if progress.ended else ", by the run times of earlier jobs"
    return f"{roughly(progress.eta)} ({roughly(progress.eta_low)} to {roughly(progress.eta_high)}){basis}"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"


def _used(used: float | None, reserved: float | None, limit: float | None) -> str | None:
    if used is None or limit is None:
        return None
    return f"{used:.6g} used, {reserved or 0:.6g} reserved, limit {limit:.6g}"
