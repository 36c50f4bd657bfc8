"""The options of `holdfast worker`: a field for each, named as the option."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True)
class WorkerArguments:
    """A set of options."""

    app: Annotated[
        str,
        typer.Option(
            "--app",
            "-A",
            envvar="HOLDFAST_APP",
            metavar="MODULE:VARIABLE",
            help="Run the tasks of this app, such as shop.jobs:app. You can leave out ':app'.",
        ),
    ]
    queues: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Take jobs from these queues, such as 'chat,mail'. With 'chat,mail:3' the worker takes "
            "three jobs from mail for each job from chat. By default, all queues of the app.",
        ),
    ] = None
    slots: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Run at most this many jobs at the same time. By default as many as the flag slots says "
            "(see 'holdfast flags'), or 50 if the flag is not set.",
        ),
    ] = None
    group: Annotated[
        str | None,
        typer.Option(
            help="Run jobs of this group and jobs without a group. By default only jobs without a group."
        ),
    ] = None
    drain: Annotated[
        bool,
        typer.Option(
            "--drain",
            help="Exit when the queues are empty. The worker first waits for running jobs, and for retries "
            "that are due within a second.",
        ),
    ] = False
    once: Annotated[
        bool, typer.Option("--once", help="Take jobs once (at most as many as --slots), run them, and exit.")
    ] = False
    lease: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="If the worker sends no heartbeat for this long, other workers take its jobs. By default "
            "30s, or --time-box if that is shorter.",
        ),
    ] = None
    grace: Annotated[
        str,
        typer.Option(
            metavar="DURATION", help="After SIGTERM, let running jobs continue for at most this long."
        ),
    ] = "25s"
    sweep: Annotated[
        str, typer.Option(metavar="DURATION", help="How often to look for due jobs and for lost workers.")
    ] = "5s"
    stagger: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Start after a random delay of at most this long. By default 0s, or 1s with several "
            "--processes.",
        ),
    ] = None
    claim_size: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Take at most this many jobs in one statement. 'auto' takes as many as there are free "
            "slots, and with --time-box only as many as can end in time. By default the value of the flag "
            "claim_size (see 'holdfast flags'), or auto if the flag is not set.",
        ),
    ] = None
    processes: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Run this many worker processes. 'auto' runs as many as the queues need.",
        ),
    ] = "1"
    max_processes: Annotated[
        int | None,
        typer.Option(
            min=1, help="With '--processes auto': run at most this many processes. By default one per core."
        ),
    ] = None
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65_535,
            help="Serve the worker's Prometheus metrics on this port, under /metrics. With several "
            "--processes, the first process uses this port, the second the next port, and so on. 0 means any "
            "free port. Needs the package holdfast-queue[server].",
        ),
    ] = None
    metrics_host: Annotated[str, typer.Option(metavar="HOST", help="Serve the metrics on this address.")] = (
        "127.0.0.1"
    )
    time_box: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="The time limit of the process, counted from its start. The worker exits before this "
            "time is over.",
        ),
    ] = None
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="How long before the end of the time box to tell handlers that they must save their work "
            "and stop, such as 5s. By default, a fifth of the time box.",
        ),
    ] = None
    continue_post: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="If jobs are left when the time box ends, start the next worker by a POST to this URL.",
        ),
    ] = None
    continue_header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME: VALUE",
            help="Send this header with the POST of --continue-post. You can repeat this option.",
        ),
    ] = None
    continue_command: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="If jobs are left when the time box ends, start the next worker by this command. In the "
            "command, {continuation} stands for the id that the next worker needs as --continuation.",
        ),
    ] = None
    continue_after: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long the next worker waits, counted from the request for it, before it takes jobs.",
        ),
    ] = "1s"
    patience: Annotated[
        str,
        typer.Option(
            metavar="DURATION", help="Request the next worker again if it has not started within this time."
        ),
    ] = "30s"
    continuation: Annotated[
        str | None,
        typer.Option(
            envvar="HOLDFAST_CONTINUATION",
            metavar="ID",
            help="The id that the previous worker passed to this one, in the body of the POST or in place of "
            "{continuation} in the command.",
        ),
    ] = None
    run: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="With --time-box: once this run (a batch of jobs) has no work left, exit and start no next "
            "worker. This is not a filter: the worker also takes jobs outside the run.",
        ),
    ] = None
