"""`holdfast endpoints set`, `open` and `close`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import EndpointName, Json, Reason, actor, read_settings, seconds
from holdfast.cli.frame.output import command, say, tell
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.client.endpoint import BREAKER_KEYS, EndpointSettings
from holdfast.db import endpoints

KEYS = sorted(
    {*EndpointSettings.__annotations__, "budget_per_day", *BREAKER_KEYS.values()} - {"budget", "breaker"}
)
DURATIONS = dict.fromkeys(("trip_quiet", "open_first", "open_max", "pause"), seconds)


def set_endpoint(
    context: typer.Context,
    name: EndpointName,
    settings: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE...",
            help="The settings, such as max=16 requests_per_minute=600 'shares={\"chat\":0.3}'. Keys: "
            f"{', '.join(KEYS)}.",
        ),
    ],
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Change settings of an endpoint.

    Shows each changed setting before and after. Creates the endpoint if it does not exist. KEY=null removes a
    rate limit, a budget or a fallback. The audit trail records the change and --reason.
    """
    given = read_settings(settings, DURATIONS, "max=16")
    changes = with_database(
        context, lambda database: endpoints.set_endpoint(database, name, given, reason, actor())
    )
    print_changes(as_json, name, changes)


def open_endpoint(context: typer.Context, name: EndpointName, reason: Reason = None) -> None:
    """Open the circuit: start no more calls to an endpoint.

    Running calls continue. To allow new calls again, use 'holdfast endpoints close'.
    """
    with_database(context, lambda database: endpoints.open_endpoint(database, name, reason, actor()))
    tell(f"opened: {name}")
    say(f"hint: {command('endpoints', 'close', name)}")


def close_endpoint(context: typer.Context, name: EndpointName, reason: Reason = None) -> None:
    """Close the circuit: let calls to an endpoint start again.

    This also ends a wait that the endpoint asked for by Retry-After.
    """
    with_database(context, lambda database: endpoints.close_endpoint(database, name, reason, actor()))
    tell(f"closed: {name}")
