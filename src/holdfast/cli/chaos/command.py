"""`holdfast chaos`: what is asked for."""

import asyncio
import secrets
import signal
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.output import say
from holdfast.cli.target import start_logging, target_of
from holdfast.model.error import InvalidOption


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(chaos)


def chaos(
    context: typer.Context,
    seed: Annotated[int | None, typer.Option(help="Repeats the same faults; random if not given.")] = None,
    minutes: Annotated[float, typer.Option(min=0.01, max=6000, help="How long to do harm.")] = 1,
    faults: Annotated[str, typer.Option(help="Which, such as kill-worker,partition; all if not given.")] = "",
    workers: Annotated[int, typer.Option(min=2, max=20, help="How many processes.")] = 3,
    replay: Annotated[Path | None, typer.Option(help="A schedule that a failed run has saved.")] = None,
    save: Annotated[Path, typer.Option(help="Where a failed run saves its schedule.")] = Path(),
    soak: Annotated[
        float | None,
        typer.Option(min=0.001, help="Instead: no harm for that many hours, watching for leaks."),
    ] = None,
    machine: Annotated[
        bool,
        typer.Option("--machine", help="Instead: random calls of all verbs against a model, for --minutes."),
    ] = False,
) -> None:
    """On a PostgreSQL of its own, removed afterwards. Exit code 1 if anything was lost, doubled or wrong."""
    start_logging(target_of(context), "error")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the server and the workers go too
    length = timedelta(minutes=minutes)
    chosen_seed = secrets.randbelow(2**31) if seed is None else seed
    if machine:
        from holdfast.cli.chaos.machine import run_machine

        is_good = run_machine(chosen_seed, length)
    elif soak is not None:
        from holdfast.cli.chaos.soak import soak_for

        is_good = soak_for(timedelta(hours=soak), workers)
    else:
        is_good = _harm(chosen_seed, length, faults, workers, replay, save)
    if not is_good:
        raise typer.Exit(1)


def _harm(seed: int, length: timedelta, faults: str, workers: int, replay: Path | None, save: Path) -> bool:
    from holdfast.cli.chaos.plan import load_plan, make_plan, save_plan
    from holdfast.cli.chaos.run import run_chaos
    from holdfast.cli.chaos.verdict import conclude

    plan = load_plan(replay) if replay else make_plan(seed, length, _weights(faults), workers)
    say(f"chaos: seed {plan.seed}")
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        outcome = asyncio.run(run_chaos(Path(directory), plan))
    if conclude(plan, outcome):
        return True
    path = save / f"chaos-{plan.seed}.json"
    save_plan(plan, path)
    say(f"chaos: the schedule is in {path}; holdfast chaos --replay {path} does it again")
    return False


def _weights(faults: str) -> dict[str, int]:
    from holdfast.cli.chaos.faults import FAULTS

    chosen = [name.strip() for name in faults.split(",") if name.strip()] or list(FAULTS)
    unknown = [name for name in chosen if name not in FAULTS]
    if unknown:
        raise InvalidOption(f"There is no fault {', '.join(unknown)}.", f"known are {', '.join(FAULTS)}")
    return {name: FAULTS[name].weight for name in chosen}
