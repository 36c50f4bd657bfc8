"""What is said at the end."""

import sys

import typer

from holdfast.cli.demo.time_box.run import BOX, Outcome
from holdfast.cli.output import write


def conclude(outcome: Outcome, seconds: float) -> None:
    verdict, ledger, log = outcome.verdict, outcome.ledger, outcome.log
    write(f"The model server was called {ledger.calls.total()} times for {verdict.jobs} jobs:")
    write(f"  {ledger.statuses[500]} times it failed, {ledger.statuses[429]} times it was too busy")
    write(f"  {ledger.answered_again} answers were asked for again, under the same idempotency key")
    write(f"  {log.started} workers were started, {log.killed} of them killed with kill -9")
    write(f"  {verdict.rescued} jobs lost their worker on the way, {verdict.deferrals} were put off")
    late = outcome.late
    write(f"  the longest life was {log.longest:.2f} s, seen up to {late:.2f} s late, of {BOX.seconds} s")
    if outcome.outlived:
        write(f"  {outcome.outlived} workers lived longer than their time box")
    if verdict.wrong:
        write(f"  {verdict.wrong} jobs did not end with the answer that the model server gave for them")
    sys.stdout.flush()
    write(
        f"demo: {verdict.completed} of {verdict.jobs} completed, {verdict.lost} lost,"
        f" {verdict.duplicated} duplicated, {log.killed} worker{'' if log.killed == 1 else 's'} killed,"
        f" {outcome.links} links, {seconds:.0f} s"
    )
    if not (verdict.is_good and log.killed and outcome.links and not outcome.outlived):
        raise typer.Exit(1)
