"""`holdfast workers`."""

import typer

from holdfast.cli.options import Json, Limit
from holdfast.cli.render import ago, print_json, print_table
from holdfast.cli.session import with_database
from holdfast.db import reads

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(root: typer.Typer, name: str, text: str) -> None:
    root.add_typer(app, name=name, help=text)


@app.callback()
def workers() -> None:
    """A group of its own, though it has one command yet."""


@app.command("list")
def list_workers(context: typer.Context, limit: Limit = 50, as_json: Json = False) -> None:
    """Those that run, and those that stopped or were lost lately."""
    found = with_database(context, lambda database: reads.list_workers(database, limit))
    if as_json:
        print_json({"workers": found})
        return
    print_table(
        ("id", "state", "busy", "queues", "host", "seen"),
        (
            (
                str(worker.id),
                worker.state,
                f"{worker.running}/{worker.slots}",
                ",".join(worker.queues),
                f"{worker.host or '?'}:{worker.pid or '?'}",
                ago(worker.renewed_at),
            )
            for worker in found
        ),
        keep=("id", "state", "busy"),
    )
