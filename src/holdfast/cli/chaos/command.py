"""`holdfast chaos`: what is asked for."""

import secrets
import signal
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.target import start_logging, target_of
from holdfast.model.error import InvalidOption

Seed = Annotated[int | None, typer.Option(help="Repeats the same faults; random if not given.")]
Minutes = Annotated[float, typer.Option(min=0.01, max=6000, help="How long to do harm.")]
Seeds = Annotated[
    int, typer.Option(min=1, max=1000, help="Split the time over so many: --seed and those after it.")
]
Faults = Annotated[str, typer.Option(help="Which, such as kill-worker,partition; all if not given.")]
Workers = Annotated[int, typer.Option(min=2, max=20, help="How many processes.")]
Replay = Annotated[Path | None, typer.Option(help="A schedule that a failed run has saved.")]
Save = Annotated[Path, typer.Option(help="Where a failed run saves its schedule and its logs.")]
Report = Annotated[Path | None, typer.Option(help="Write the figures to this file, too.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, max=10_000_000, help="Instead: so many, under kills, and exactly so many ends."),
]
KillEvery = Annotated[float, typer.Option(min=1, help="With --jobs: seconds between two kills of a worker.")]
AsJson = Annotated[bool, typer.Option("--json", help="With --jobs: print JSON.")]
Soak = Annotated[
    float | None, typer.Option(min=0.001, help="Instead: no harm for that many hours, watching for leaks.")
]
Machine = Annotated[
    bool,
    typer.Option("--machine", help="Instead: random calls of all verbs against a model, for --minutes."),
]


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(chaos)


def chaos(
    context: typer.Context,
    seed: Seed = None,
    minutes: Minutes = 1,
    seeds: Seeds = 1,
    faults: Faults = "",
    workers: Workers = 3,
    replay: Replay = None,
    save: Save = Path(),
    report: Report = None,
    jobs: Jobs = None,
    kill_every: KillEvery = 10,
    as_json: AsJson = False,
    soak: Soak = None,
    machine: Machine = False,
) -> None:
    """On a PostgreSQL of its own, removed afterwards. Exit code 1 if anything was lost, doubled or wrong."""
    start_logging(target_of(context), "error")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the server and the workers go too
    length = timedelta(minutes=minutes)
    chosen_seed = secrets.randbelow(2**31) if seed is None else seed
    if machine:
        from holdfast.cli.chaos.machine import run_machine

        is_good = run_machine(chosen_seed, length)
    elif jobs is not None:
        from holdfast.cli.chaos.count import count_ends

        every = timedelta(seconds=kill_every)
        is_good = count_ends(jobs, workers, every, chosen_seed, report, as_json=as_json)
    elif soak is not None:
        from holdfast.cli.chaos.soak import soak_for

        is_good = soak_for(timedelta(hours=soak), workers, report)
    else:
        is_good = _harm(chosen_seed, length, seeds, faults, workers, replay, save, report)
    if not is_good:
        raise typer.Exit(1)


def _harm(
    seed: int,
    length: timedelta,
    seeds: int,
    faults: str,
    workers: int,
    replay: Path | None,
    save: Path,
    report: Path | None,
) -> bool:
    from holdfast.cli.chaos.campaign import campaign
    from holdfast.cli.chaos.plan import load_plan, make_plan

    if replay is not None:
        return campaign([load_plan(replay)], save, report)
    weights = _weights(faults)
    plans = [make_plan(seed + number, length / seeds, weights, workers) for number in range(seeds)]
    return campaign(plans, save, report)


def _weights(faults: str) -> dict[str, int]:
    from holdfast.cli.chaos.faults import FAULTS

    chosen = [name.strip() for name in faults.split(",") if name.strip()] or list(FAULTS)
    unknown = [name for name in chosen if name not in FAULTS]
    if unknown:
        raise InvalidOption(f"There is no fault {', '.join(unknown)}.", f"known are {', '.join(FAULTS)}")
    return {name: FAULTS[name].weight for name in chosen}
