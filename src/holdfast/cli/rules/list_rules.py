"""`holdfast rules list`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.render import Columns, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.rules.rule_options import owner_of
from holdfast.db import rules
from holdfast.model.rule import Rule

COLUMNS: Columns[Rule] = {
    "of": lambda rule: f"{rule.kind} {rule.owner}",
    "position": lambda rule: rule.position,
    "name": lambda rule: rule.name,
    "enabled": lambda rule: "yes" if rule.enabled else "no",
    "points": lambda rule: "" if rule.points is None else f"{rule.points:+d}",
    "queue": lambda rule: rule.queue or "",
    "base": lambda rule: "" if rule.base is None else rule.base,
    "condition": lambda rule: rule.condition,
}
KEPT = ("of", "name", "enabled", "points", "queue", "condition")


def list_rules(
    context: typer.Context,
    task: Annotated[str | None, typer.Option(help="Only rules for the jobs of this task.")] = None,
    queue: Annotated[
        str | None, typer.Option(help="Only rules for jobs that are enqueued to this queue.")
    ] = None,
    limit: Limit = 1000,
    as_json: Json = False,
) -> None:
    """List rules, in the order in which they are evaluated."""
    kind, owner = (None, None) if task is None and queue is None else owner_of(task, queue)
    found = with_database(context, lambda database: rules.list_rules(database, kind, owner, limit + 1))
    print_list(as_json, "rules", found, COLUMNS, KEPT, limit)
