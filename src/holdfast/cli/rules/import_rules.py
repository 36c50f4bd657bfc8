"""`holdfast rules import`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor, read_pair
from holdfast.cli.frame.output import tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.rules.rule_options import owner_of
from holdfast.client import rules


def import_rules(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="PRESET|FILE", help="Either repo-capture, which is a preset, or a TOML file of your own."
        ),
    ],
    task: Annotated[
        str | None, typer.Option(help="Add the rules to this task. Give either --task or --queue.")
    ] = None,
    queue: Annotated[str | None, typer.Option(help="Add the rules to this queue.")] = None,
    route: Annotated[
        list[str] | None,
        typer.Option(metavar="QUEUE=NAME", help="Send to NAME what the file sends to QUEUE; repeatable."),
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Add the rules of a preset or file to a task or queue.

    Rules of the same name are changed, other rules stay as they are. Either all rules are imported or none.
    If you repeat the import, nothing changes.
    """
    kind, owner = owner_of(task, queue)
    routes = dict(
        read_pair(one, f"A route must be QUEUE=NAME (got {one!r}).", "write it as --route bulk=nightly")
        for one in route or ()
    )
    found = rules.read_rules(source).with_routes(routes)
    changed = with_database(
        context, lambda database: rules.import_rules(database, kind, owner, found, reason, actor())
    )
    names = [name or f"{kind} {owner}" for name in changed]
    if as_json:
        print_json({"rules": [rule["name"] for rule in found.rules], "changed": names})
    else:
        tell(f"rules: {len(found.rules)}, changed: {len(names)}")
