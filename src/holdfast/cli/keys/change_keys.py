"""`holdfast keys create`, `rotate` and `revoke`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.output import say, tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.client.access_keys import create_key, rotate_key
from holdfast.db import access_keys
from holdfast.model.access_key import NewSecret
from holdfast.model.human_readable import time_words

KeyName = Annotated[str, typer.Argument(metavar="NAME", help="The key's name.")]
KeyRole = Annotated[
    str,
    typer.Option(
        metavar="ROLE",
        help="What the key allows: viewer (read), producer (enqueue), worker (run jobs), operator "
        "(change jobs and settings) or admin (also manage keys).",
    ),
]


def create(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name for the key, such as that of the calling program.")
    ],
    role: KeyRole,
    queues: Annotated[
        list[str] | None,
        typer.Option(
            "--queue", metavar="NAME", help="Allow the key only for this queue. You can repeat this option."
        ),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            "--task", metavar="NAME", help="Allow the key only for this task. You can repeat this option."
        ),
    ] = None,
    expires_in: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Refuse the key after this long, such as 90d.")
    ] = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Create an access key of the HTTP API, and print its secret.

    The secret cannot be shown again: the database stores only its hash.
    """
    made = with_database(
        context,
        lambda database: create_key(
            database, name, role, queues or None, tasks or None, expires_in, reason, actor()
        ),
    )
    _print(as_json, made)


def rotate(
    context: typer.Context,
    name: KeyName,
    overlap: Annotated[
        str, typer.Option(metavar="DURATION", help="Accept the old secret for this long, at most 30d.")
    ] = "1h",
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Give an access key a new secret, and print the secret.

    The old secret keeps working for --overlap. With --overlap 0s, the old secret is refused at once.
    """
    made = with_database(context, lambda database: rotate_key(database, name, overlap, reason, actor()))
    _print(as_json, made)


def revoke(context: typer.Context, name: KeyName, reason: Reason = None) -> None:
    """Revoke an access key: requests with this key are refused from now on."""
    with_database(context, lambda database: access_keys.revoke_access_key(database, name, reason, actor()))
    tell(f"revoked: {name}")


def _print(as_json: bool, made: NewSecret) -> None:
    if as_json:
        print_json(made)
        return
    tell(made.secret)
    say("note: this secret is not shown again; send it as 'Authorization: Bearer SECRET'")
    if made.until is not None:
        say(f"note: the old secret is accepted until {time_words(made.until)}")
