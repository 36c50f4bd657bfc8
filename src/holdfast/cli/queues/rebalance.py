"""`holdfast queues rebalance`, and the commands for the pairs of queues that it works on."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import DryRun, Json, Reason, actor, read_settings
from holdfast.cli.frame.output import command, say, tell
from holdfast.cli.frame.render import Columns, ago, number, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.cli.queues.move_jobs import FromQueue, ToQueue
from holdfast.db import moves
from holdfast.model.move import RebalancedPair, RebalancePair

ROUND: Columns[RebalancedPair] = {
    "from": lambda one: one.from_queue,
    "ready": lambda one: f"{one.from_ready:,}",
    "to": lambda one: one.to_queue,
    "ready there": lambda one: f"{one.to_ready:,}",
    "ratio": lambda one: number(one.ratio),
    "result": lambda one: one.result.replace("_", " "),
    "jobs": lambda one: f"{one.jobs:,}",
}
PAIRS: Columns[RebalancePair] = {
    "from": lambda one: one.from_queue,
    "to": lambda one: one.to_queue,
    "ratio": lambda one: number(one.ratio),
    "least depth": lambda one: f"{one.least_depth:,}",
    "max jobs": lambda one: f"{one.max_jobs:,}",
    "condition": lambda one: one.condition,
    "moved": lambda one: ago(one.moved_at),
}


def rebalance(
    context: typer.Context, reason: Reason = None, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Rebalance now: move jobs from long queues to short ones.

    In each pair of queues that 'holdfast queues set-rebalance' added, jobs move from the first to the second
    queue if the first is much longer. Workers do the same every five minutes. The lengths of queues that are
    compared may be a minute old.
    """
    found = with_database(
        context,
        lambda database: moves.rebalance_queues(database, dry_run, reason=reason, actor=actor()),
    )
    print_list(as_json, "pairs", found, ROUND, keep=("from", "to", "result", "jobs"))
    if not found:
        say(f"note: no pair is set, or another process moves jobs; see {command('queues', 'list-rebalance')}")


def set_rebalance(
    context: typer.Context,
    source: FromQueue,
    to: ToQueue,
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE...",
            help="The settings, such as ratio=3 least_depth=10 max_jobs=1000. Keys: condition,"
            " least_depth, max_jobs, ratio.",
        ),
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Let workers move jobs from a long queue to a short one.

    Adds the pair of queues, or changes the settings of an existing pair. Jobs move if FROM has at least
    least_depth ready jobs, and more than ratio times as many as TO. (Both numbers are counted plus 1, for an
    empty TO.) At most max_jobs move at once. If you set a condition (a JSON path predicate), only jobs with a
    matching payload move. KEY=null restores the default.

    holdfast queues set-rebalance fast slow 'condition=$.size == "large"'
    """
    policy = read_settings(settings or [], {"condition": _condition}, "ratio=3")
    changes = with_database(
        context, lambda database: moves.set_rebalance(database, source, to, policy, reason, actor())
    )
    print_changes(as_json, f"{source} -> {to}", changes)


def list_rebalance(context: typer.Context, as_json: Json = False) -> None:
    """List the pairs of queues that workers rebalance.

    Shows the settings of each pair, and when jobs last moved.
    """
    found = with_database(context, moves.rebalance_pairs)
    print_list(as_json, "pairs", found, PAIRS, keep=("from", "to"))


def remove_rebalance(context: typer.Context, source: FromQueue, to: ToQueue, reason: Reason = None) -> None:
    """Stop rebalancing between two queues. Jobs that were moved stay where they are."""
    with_database(context, lambda database: moves.remove_rebalance(database, source, to, reason, actor()))
    tell(f"removed: {source} -> {to}")


def _condition(value: str) -> str | None:
    return None if value == "null" else value
