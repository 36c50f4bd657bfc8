"""`holdfast jobs logs` and `holdfast jobs limit-logs`: what handlers logged, and how much of it is kept."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, OneJob, actor, read_job_id
from holdfast.cli.frame.output import flush, say, tell, write
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.operator_actions import Why
from holdfast.client.handler_logs import by_attempt, read_logs
from holdfast.client.log_follower import follow_logs
from holdfast.db import logs
from holdfast.db.connect import Database
from holdfast.model.byte_size import parse_size
from holdfast.model.error import InvalidOption
from holdfast.model.handler_log import LogLine
from holdfast.model.id import JobId

OneAttempt = Annotated[int | None, typer.Option(min=1, help="Only this attempt.")]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Print new lines as they come, until the job has ended.")
]


def show_logs(
    context: typer.Context,
    job: OneJob,
    attempt: OneAttempt = None,
    follow: Follow = False,
    as_json: Json = False,
) -> None:
    """Show what the handler of a job logged, by attempt.

    By default, a queue keeps only the logs of attempts that did not succeed. To change this, set logs=all or
    logs=off with 'holdfast queues set'.

    Secrets are removed. The lines of a running attempt appear a few seconds after they were written.
    """
    job_id = read_job_id(job)
    if follow and as_json:
        raise InvalidOption("--json and --follow cannot be combined.", "leave out one of them")
    if follow:
        with_database(context, lambda database: _follow(database, job_id, attempt))
        return
    lines = with_database(context, lambda database: read_logs(database, job_id, attempt))
    if as_json:
        print_json({"job": job_id, "attempts": by_attempt(lines)})
        return
    printer = _Printer()
    for line in lines:
        printer.print(line)
    if not lines:
        say("no lines are stored; 'holdfast queues set NAME logs=all' keeps those of every attempt")


def limit_logs(
    context: typer.Context,
    size: Annotated[
        str, typer.Argument(metavar="SIZE", help="The limit, such as 2GiB, or a number of bytes.")
    ],
    reason: Why,
) -> None:
    """Limit the space for the logs of all handlers. It is 1GiB until you change it.

    If the logs need more space in the database, the oldest ones are deleted.
    """
    most = parse_size(size)
    with_database(context, lambda database: logs.limit_logs(database, most, reason, actor()))
    tell(f"set: logs of handlers take at most {most} bytes")


async def _follow(database: Database, job: JobId, attempt: int | None) -> None:
    printer = _Printer()
    async for line in follow_logs(database, job, attempt):
        printer.print(line)
        flush()


class _Printer:
    """Prints a header before the lines of each attempt."""

    def __init__(self) -> None:
        self._attempt: int | None = None

    def print(self, line: LogLine) -> None:
        if line.attempt != self._attempt:
            if self._attempt is not None:
                write("")
            write(f"attempt {line.attempt}")
            self._attempt = line.attempt
        first, *rest = line.message.split("\n")
        at = line.at.astimezone().isoformat(" ", "milliseconds")
        tell(f"{at} {line.level:<7} {line.logger}: {first}")
        for more in rest:  # indented, so that no line of it looks like another record
            tell(f"    {more}")
