"""`holdfast endpoints`."""

from typing import Annotated

import typer

from holdfast.cli.endpoint_frame import watch_endpoint
from holdfast.cli.options import After, Json, Limit, Reason, actor, read_settings, seconds
from holdfast.cli.output import command, say, say_if_cut, tell
from holdfast.cli.render import ago, facts, print_json, print_sheet, print_table
from holdfast.cli.session import with_database
from holdfast.db import endpoints
from holdfast.model.duration import parse_duration
from holdfast.model.endpoint import EndpointSummary

DURATIONS = dict.fromkeys(("trip_quiet", "open_first", "open_max", "pause"), seconds)

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(help="The endpoint's name.")]


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.command("list")
def list_endpoints(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """Endpoints by name: the circuit, the limit, and the calls that run."""
    found = with_database(context, lambda database: endpoints.list_endpoints(database, limit + 1, after))
    shown = found[:limit]
    if as_json:
        print_json({"endpoints": shown})
        return
    print_table(
        ("name", "circuit", "running", "limit", "max", "streak", "blocked", "last ok"),
        (_row(endpoint) for endpoint in shown),
        keep=("circuit", "running", "limit", "max", "streak"),
    )
    say_if_cut(found, shown)


@app.command("show")
def show_endpoint(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """One endpoint with its settings."""
    found = with_database(context, lambda database: endpoints.get_endpoint(database, name))
    if as_json:
        print_json(found)
    else:
        print_sheet(facts(found))


@app.command("set")
def set_endpoint(
    context: typer.Context,
    name: Name,
    settings: Annotated[
        list[str],
        typer.Argument(metavar="KEY=VALUE...", help='Such as max=16 open_first=30s shares={"chat":0.3}.'),
    ],
) -> None:
    """Change an endpoint's settings; one that is not there is made. null takes a rate or budget off."""
    given = read_settings(settings, DURATIONS, "max=16")
    with_database(context, lambda database: endpoints.declare_endpoint(database, name, given))
    tell(f"set: {name} {' '.join(sorted(given))}")


@app.command("open")
def open_endpoint(context: typer.Context, name: Name, reason: Reason = None) -> None:
    """Let no call start until it is closed again; what runs goes on."""
    with_database(context, lambda database: endpoints.open_endpoint(database, name, reason, actor()))
    tell(f"opened: {name}")
    say(f"hint: {command('endpoints', 'close', name)}")


@app.command("close")
def close_endpoint(context: typer.Context, name: Name, reason: Reason = None) -> None:
    """Let calls start again at once, whatever was known against it."""
    with_database(context, lambda database: endpoints.close_endpoint(database, name, reason, actor()))
    tell(f"closed: {name}")


@app.command("watch")
def watch(
    context: typer.Context,
    name: Name,
    since: Annotated[str, typer.Option(help="How far back, up to 6h.")] = "20s",
) -> None:
    """What it does, second by second, until Ctrl-C; printed once where nobody watches."""
    span = parse_duration(since)
    with_database(context, lambda database: watch_endpoint(database, name, span))


def _row(endpoint: EndpointSummary) -> tuple[object, ...]:
    return (
        endpoint.name,
        endpoint.circuit.value,
        endpoint.in_flight,
        endpoint.limit,
        round(endpoint.max),
        endpoint.streak,
        ago(endpoint.blocked_until),
        ago(endpoint.last_ok) if endpoint.starts else "",
    )
