"""`holdfast endpoints list` and `holdfast endpoints show`."""

import typer

from holdfast.cli.frame.common_options import After, EndpointName, Json, Limit
from holdfast.cli.frame.render import Columns, ago, print_list, print_one
from holdfast.cli.frame.session import with_database
from holdfast.db import endpoints
from holdfast.model.endpoint import EndpointSummary

COLUMNS: Columns[EndpointSummary] = {
    "name": lambda endpoint: endpoint.name,
    "circuit": lambda endpoint: endpoint.circuit.value,
    "open until": lambda endpoint: ago(endpoint.open_until),
    "running": lambda endpoint: endpoint.in_flight,
    "limit": lambda endpoint: endpoint.limit,
    "max": lambda endpoint: round(endpoint.max),
    "streak": lambda endpoint: endpoint.streak,
    "blocked": lambda endpoint: ago(endpoint.blocked_until),
    "last ok": lambda endpoint: ago(endpoint.last_ok) if endpoint.starts else "",
}
KEPT = ("circuit", "open until", "running", "limit", "max", "streak")


def list_endpoints(
    context: typer.Context, limit: Limit = 100, after: After = None, as_json: Json = False
) -> None:
    """List endpoints by name, with circuit state, limit and calls."""
    found = with_database(context, lambda database: endpoints.list_endpoints(database, limit + 1, after))
    print_list(as_json, "endpoints", found, COLUMNS, KEPT, limit)


def show_endpoint(context: typer.Context, name: EndpointName, as_json: Json = False) -> None:
    """Show one endpoint: its settings and its health."""
    print_one(as_json, with_database(context, lambda database: endpoints.get_endpoint(database, name)))
