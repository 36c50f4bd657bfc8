"""What is said at the end."""

import sys
from collections.abc import Mapping
from pathlib import Path

import typer

from holdfast.cli.demo.pipeline.posts import LIMITS, StageName
from holdfast.cli.demo.pipeline.run import Outcome
from holdfast.cli.demo.pipeline.verdict import Verdict
from holdfast.cli.output import write

HARMS = {
    "strayed": "posts took another way than the model decided",
    "blind": "calls were not shown just what the earlier stages had left, in order",
    "repeated": "calls were made again though their answer was on record",
    "unrecorded": "stage visits have other calls on record than were made",
    "untold": "posts have attempts of which nothing is on record",
}


def conclude(outcome: Outcome, seconds: float, kept: Path | None = None) -> None:
    """`kept`: where the database is, if it stays to be looked at."""
    _explain(outcome)
    if kept is not None:
        write("Where to look next:")
        for look in ("pipelines show posts", "jobs list", "jobs show JOB", "workers list"):
            write(f"  holdfast --data-dir {kept} {look}")
        write(f"  rm -r {kept}    when you have seen enough")
    sys.stdout.flush()
    write(_last_line(outcome.verdict, outcome.killed, seconds))
    if not (outcome.verdict.is_good and outcome.killed):
        raise typer.Exit(1)


def _explain(outcome: Outcome) -> None:
    verdict = outcome.verdict
    write(f"The model server was called {outcome.calls} times for {verdict.posts} posts:")
    moves = ", ".join(f"{verdict.moves[move]} {move}" for move in ("advance", "skip", "reject", "loop"))
    write(f"  what the agents decided: {moves}")
    write(
        f"  {verdict.rescued} posts lost their worker on the way; another went on after the last saved call"
    )
    write(f"  {verdict.spared} calls of models and tools that the dead had saved were not made again")
    write(f"  {verdict.cut_off} were under way at a kill and made again, under the same idempotency key")
    if not verdict.blind:
        write("  every prompt showed what the earlier stages had left, all of it and in order")
    write(f"  at once by the leases, from start to end or rescue: {_peaks(verdict.leased)}")
    write(f"  at once at the model server, calls of killed workers aside: {_peaks(verdict.served)}")
    for name, words in HARMS.items():
        if getattr(verdict, name):
            write(f"  {getattr(verdict, name)} {words}")


def _last_line(verdict: Verdict, killed: int, seconds: float) -> str:
    limits = "limits held" if verdict.limits_held else "limits exceeded"
    return (
        f"demo: {verdict.ended} of {verdict.posts} ended, {verdict.lost} lost,"
        f" {verdict.duplicated} duplicated, {limits},"
        f" {killed} worker{'' if killed == 1 else 's'} killed, {seconds:.0f} s"
    )


def _peaks(most: Mapping[StageName, int]) -> str:
    return ", ".join(f"{stage} {most[stage]} of {limit}" for stage, limit in LIMITS.items())
