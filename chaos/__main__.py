"""`./dev chaos`: its arguments, and what each asks for.

Exit code 0: the checks passed. 1: a check failed. 2: an argument is wrong.
"""

import argparse
import logging
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from chaos.campaign import campaign
from chaos.count_ends import count_ends
from chaos.faults import FAULTS
from chaos.output import say
from chaos.schedule import Schedule, load_schedule, make_schedule
from chaos.soak.run_soak import soak_for
from holdfast import HoldfastError

DESCRIPTION = """\
Inject faults into real workers, their network and their database; then check that no job was lost, doubled or
wrong. Everything runs on a PostgreSQL server of its own, which is removed afterwards.
"""
INTERRUPTED = 130
ROOT = Path(__file__).parents[1]
MACHINE = "tests/machine/test_machine.py"
MACHINE_SCHEDULES_PER_SECOND = 4  # of fifty verbs each, on one core


def main(arguments: list[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.ERROR)
    if asked.seed is None:
        asked.seed = secrets.randbelow(2**31)
    try:
        return 0 if _run(asked) else 1
    except HoldfastError as exc:
        say(f"chaos: {exc.message} {exc.hint or ''}".rstrip())
        return exc.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(asked: argparse.Namespace) -> bool:
    if asked.machine:
        return _run_machine(asked.seed, asked.minutes)
    if asked.jobs is not None:
        every = timedelta(seconds=asked.kill_every)
        return count_ends(asked.jobs, asked.workers, every, asked.seed, asked.report, as_json=asked.json)
    if asked.soak is not None:
        return soak_for(timedelta(hours=asked.soak), asked.workers, asked.report)
    return campaign(_schedules(asked), asked.save, asked.report)


def _schedules(asked: argparse.Namespace) -> list[Schedule]:
    if asked.replay is not None:
        return [load_schedule(asked.replay)]
    weights = {name: FAULTS[name].weight for name in asked.faults}
    length = timedelta(minutes=asked.minutes) / asked.seeds
    return [
        make_schedule(asked.seed + number, length, weights, asked.workers) for number in range(asked.seeds)
    ]


def _run_machine(seed: int, minutes: float) -> bool:
    """The state machine of the tests, for longer. True if the database did as the model says."""
    schedules = max(1, round(60 * minutes * MACHINE_SCHEDULES_PER_SECOND))
    say(f"chaos: seed {seed}, {schedules} schedules")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", MACHINE]
    command += [f"--hypothesis-seed={seed}"]
    environment = {**os.environ, "HOLDFAST_MACHINE_EXAMPLES": str(schedules)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./dev chaos", description=DESCRIPTION)
    add = parser.add_argument
    add("--seed", type=int, help="choose the faults by this number (default: random)")
    add("--seeds", type=_whole(1, 1000), default=1, help="split the time over this many seeds (default: 1)")
    add("--minutes", type=_positive, default=1.0, help="inject faults for this long (default: 1)")
    add("--faults", type=_faults, default=list(FAULTS), help="names, separated by commas (default: all)")
    add("--workers", type=_whole(2, 20), default=3, help="number of worker processes (default: 3)")
    add("--replay", type=Path, metavar="FILE", help="run a schedule that a failed run has saved")
    add("--save", type=Path, default=Path(), metavar="DIR", help="where a failed run saves schedule and logs")
    add("--report", type=Path, metavar="FILE", help="also write the results to this file")
    add("--jobs", type=_whole(1, 10**7), help="instead: run this many jobs, kill workers, count the ends")
    add("--kill-every", type=_positive, default=10.0, help="with --jobs: seconds between kills (default: 10)")
    add("--json", action="store_true", help="with --jobs: print JSON")
    add("--soak", type=_positive, metavar="HOURS", help="instead: steady load, no faults; find what grows")
    add("--machine", action="store_true", help="instead: compare random calls of all verbs with a model")
    return parser


def _faults(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FAULTS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"unknown fault {', '.join(unknown) or repr(text)}; the faults are {', '.join(FAULTS)}"
        )
    return names


def _positive(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"must be a number above 0 (got {text})")
    return number


def _whole(least: int, most: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"must be between {least} and {most} (got {text})")
        return number

    return whole_number


if __name__ == "__main__":
    # As Ctrl-C does, also in a background job, so that no server and no worker is left behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
