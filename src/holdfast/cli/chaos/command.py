"""`holdfast chaos`: what is asked for, and what is said at the end."""

import asyncio
import secrets
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.chaos.run import Outcome, Plan, run_chaos
from holdfast.cli.output import say, write
from holdfast.cli.target import start_logging, target_of
from holdfast.model.error import InvalidOption

FAULTS = ("kill-worker", "stop-worker", "leave-worker", "cut-connection", "kill-database")


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(chaos)


def chaos(
    context: typer.Context,
    seed: Annotated[int | None, typer.Option(help="Repeats the same faults; random if not given.")] = None,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long to do harm.")] = 1,
    faults: Annotated[str, typer.Option(help=f"Which: {', '.join(FAULTS)}.")] = ",".join(FAULTS),
    workers: Annotated[int, typer.Option(min=2, max=20, help="How many processes.")] = 3,
) -> None:
    """On a PostgreSQL of its own, removed afterwards. Exit code 1 if anything was lost or doubled."""
    start_logging(target_of(context), "error")
    chosen = tuple(name for name in faults.split(",") if name)
    unknown = [name for name in chosen if name not in FAULTS]
    if unknown or not chosen:
        raise InvalidOption(
            f"There is no fault {', '.join(unknown) or 'chosen'}.", f"known are {', '.join(FAULTS)}"
        )
    plan = Plan(
        secrets.randbelow(2**31) if seed is None else seed, timedelta(minutes=minutes), chosen, workers
    )
    say(f"chaos: seed {plan.seed}")
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        outcome = asyncio.run(run_chaos(Path(directory), plan))
    _conclude(plan, outcome)


def _conclude(plan: Plan, outcome: Outcome) -> None:
    report = outcome.report
    for name in plan.faults:
        write(f"{name:<16} {outcome.fired[name]:>4} times")
    write(f"losses {report.losses}, failures {report.failures}, deferrals {report.deferrals}")
    write(f"dead {report.dead}")
    write(f"enqueues sent again after an error {outcome.refused}, still unknown {report.indeterminate}")
    write(
        f"chaos: seed {plan.seed}, {report.accepted} accepted, {report.lost} lost,"
        f" {report.duplicated} duplicated, {report.effects_wrong} effects wrong, {report.live} live,"
        f" {report.unsound} rows unsound"
    )
    if not (report.is_good and all(outcome.fired[name] for name in plan.faults) and report.accepted):
        raise typer.Exit(1)
