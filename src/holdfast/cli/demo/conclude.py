"""What is said at the end of the plain demo."""

import sys
from pathlib import Path

import typer

from holdfast.cli.demo.run import Outcome
from holdfast.cli.output import write


def conclude(outcome: Outcome, directory: Path, keep: bool, seconds: float) -> None:
    _explain(outcome, directory, keep)
    _judge(outcome, seconds)


def _explain(outcome: Outcome, directory: Path, keep: bool) -> None:
    verdict, ledger = outcome.verdict, outcome.ledger
    write(f"The model server was called {ledger.calls.total()} times for {verdict.jobs} jobs:")
    write(f"  {ledger.statuses[500]} times it failed, {ledger.statuses[429]} times it was too busy")
    write(f"  {ledger.answered_again} answers were asked for again, under the same idempotency key")
    write(f"  {verdict.rescued} jobs lost their worker on the way; another took them over")
    if verdict.wrong:
        write(f"  {verdict.wrong} jobs did not end with the answer that the model server gave for them")
    write("Where to look next:")
    if keep:
        command = f"holdfast --data-dir {directory}"
        for look in ("runs list", "jobs list", "queues list", "doctor", "db"):
            write(f"  {command} {look}")
        write(f"  rm -r {directory}    when you have seen enough")
    else:
        write("  holdfast demo --keep     the same, and the database stays to be looked at")
        write("  holdfast --help          what else there is")


def _judge(outcome: Outcome, seconds: float) -> None:
    verdict = outcome.verdict
    killed = f"{outcome.killed} worker{'' if outcome.killed == 1 else 's'} killed"
    sys.stdout.flush()
    write(
        f"demo: {verdict.completed} of {verdict.jobs} completed, {verdict.lost} lost,"
        f" {verdict.duplicated} duplicated, {killed}, {seconds:.0f} s"
    )
    if not (verdict.is_good and outcome.killed):
        raise typer.Exit(1)
