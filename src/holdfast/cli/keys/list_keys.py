"""`holdfast keys list`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Limit
from holdfast.cli.frame.render import Columns, ago, print_list
from holdfast.cli.frame.session import with_database
from holdfast.db import access_keys
from holdfast.model.access_key import AccessKey

COLUMNS: Columns[AccessKey] = {
    "name": lambda key: key.name,
    "role": lambda key: key.role.value,
    "state": lambda key: key.state.value,
    "used": lambda key: "never" if key.last_used_at is None else f"{ago(key.last_used_at)} ago",
    "expires": lambda key: "never" if key.expires_at is None else ago(key.expires_at),
    "queues": lambda key: "all" if key.queues is None else ",".join(key.queues),
    "tasks": lambda key: "all" if key.tasks is None else ",".join(key.tasks),
}


def list_keys(
    context: typer.Context,
    all_states: Annotated[
        bool, typer.Option("--all", help="Also list keys that have expired or were revoked.")
    ] = False,
    limit: Limit = 1000,
    as_json: Json = False,
) -> None:
    """List the access keys of the HTTP API, without their secrets.

    The time of the last use is accurate to an hour.
    """
    found = with_database(context, lambda database: access_keys.list_access_keys(database, limit, all_states))
    print_list(as_json, "keys", found, COLUMNS, keep=("name", "role"))
