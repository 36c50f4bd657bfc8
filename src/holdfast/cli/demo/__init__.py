"""`holdfast demo`: a run of jobs on a flaky model server, with a worker killed on the way, and a verdict."""

import typer


def register(app: typer.Typer, name: str, text: str) -> None:
    """The command is imported only here: the workers of the demo need no more than its app."""
    from holdfast.cli.demo import command

    command.register(app, name, text)
