"""`holdfast rollouts list`, `set` and `check`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.output import write
from holdfast.cli.frame.render import Columns, ago, print_json, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.db import rollouts
from holdfast.model.rollout import Rollout, parse_share

RolloutName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the roll-out.")]

COLUMNS: Columns[Rollout] = {
    "name": lambda rollout: rollout.name,
    "share": lambda rollout: rollout.share,
    "changed": lambda rollout: f"{ago(rollout.changed_at)} ago",
}


def list_rollouts(context: typer.Context, as_json: Json = False) -> None:
    """List the roll-outs. A roll-out that was never set is off."""
    found = with_database(context, rollouts.list_rollouts)
    print_list(as_json, "rollouts", found, COLUMNS, keep=("name", "share"))


def set_rollout(
    context: typer.Context,
    name: RolloutName,
    share: Annotated[
        str,
        typer.Argument(
            metavar="off|N%|on", help="off (no key), on (all keys), or a share of keys such as 20% or 0.5%."
        ),
    ],
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Set which share of keys, such as customer ids, is in a roll-out.

    Applies at once. If you raise the percentage, keys that are in the roll-out stay in it. The audit trail
    records the change and --reason.
    """
    percent = parse_share(share)
    changes = with_database(
        context, lambda database: rollouts.set_rollout(database, name, percent, reason, actor())
    )
    print_changes(as_json, name, changes)


def check_rollout(
    context: typer.Context,
    name: RolloutName,
    key: Annotated[
        str, typer.Argument(metavar="KEY", help="The key to check, such as the id of a customer.")
    ],
    as_json: Json = False,
) -> None:
    """Print 'in' if a roll-out includes a key, else 'out'.

    Your app asks the same to decide whether a key, such as a customer, takes the new way.
    """
    is_in = with_database(context, lambda database: rollouts.in_rollout(database, name, key))
    if as_json:
        print_json({"name": name, "key": key, "in": is_in})
        return
    write("in" if is_in else "out")
