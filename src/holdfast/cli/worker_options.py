"""The options of `holdfast worker`."""

from typing import Annotated

import typer

App = Annotated[
    str,
    typer.Option(
        "--app",
        "-A",
        envvar="HOLDFAST_APP",
        help="Where the app is: package.module:app; :app may be left out.",
    ),
]
Queues = Annotated[
    str | None, typer.Option(help="Such as chat,mail:3 (3 is a weight); else all queues of the app.")
]
Slots = Annotated[int, typer.Option(min=1, max=10_000, help="How many jobs run at once.")]
Group = Annotated[str | None, typer.Option(help="Also claim jobs that name this group.")]
Drain = Annotated[
    bool, typer.Option("--drain", help="Leave when nothing is left that it can run now; jobs due later stay.")
]
Once = Annotated[bool, typer.Option("--once", help="Claim once, finish that, and leave.")]
Lease = Annotated[
    str | None,
    typer.Option(
        help="After this long without a sign it is taken for lost; 30s, or the time box if shorter."
    ),
]
Grace = Annotated[str, typer.Option(help="How long running jobs may go on after SIGTERM.")]
Sweep = Annotated[str, typer.Option(help="How often to look for due jobs and lost workers.")]
Stagger = Annotated[
    str | None, typer.Option(help="Start after a random part of this; 1s for each of several --processes.")
]
ClaimSize = Annotated[
    str,
    typer.Option(help="At most how many in one claim: auto (as many as will be done in time) or a number."),
]
Processes = Annotated[
    str, typer.Option(help="How many workers to run: a number, or auto (as many as the queues need).")
]
MaxProcesses = Annotated[
    int | None, typer.Option(min=1, help="With --processes auto, at most; else one per core.")
]
TimeBox = Annotated[
    str | None, typer.Option(help="How long the process may live, from its start: it leaves before.")
]
Margin = Annotated[
    str | None,
    typer.Option(help="So long before the end handlers are asked to yield; else a fifth of the box."),
]
ContinuePost = Annotated[
    str | None, typer.Option(metavar="URL", help="POST here for a successor if something is left to do.")
]
ContinueHeader = Annotated[
    list[str] | None, typer.Option(metavar="NAME: VALUE", help="Send this along; may be repeated.")
]
ContinueCommand = Annotated[
    str | None,
    typer.Option(metavar="COMMAND", help="Run this for a successor; {continuation} in it becomes the id."),
]
ContinueAfter = Annotated[str, typer.Option(help="How long after this worker its successor may begin.")]
Patience = Annotated[str, typer.Option(help="A successor that does not come for so long is sent for again.")]
Continuation = Annotated[
    str | None,
    typer.Option(envvar="HOLDFAST_CONTINUATION", help="The id in what the callback was told."),
]
Run = Annotated[str | None, typer.Option(help="The run that it works for: leave when that is done.")]
