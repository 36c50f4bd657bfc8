"""The list of commands. Only the one that is called is imported, so that `holdfast --help` is quick."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import typer

from holdfast.cli.target import choose_target


@dataclass(frozen=True, slots=True)
class Command:
    """A line of `holdfast --help`, and the module that knows the rest."""

    name: str
    help: str
    module: str | None = None

    def register(self, app: typer.Typer) -> None:
        module = self.module or self.name.replace("-", "_")
        register: Register = import_module(f"holdfast.cli.{module}").register
        register(app, self.name, self.help)
        for one in app.registered_commands:
            if one.name == self.name and one.callback is not None and one.callback.__doc__:
                one.help = f"{self.help}\n\n{one.callback.__doc__}"

    def register_line(self, app: typer.Typer) -> None:
        app.command(self.name, help=self.help)(_nothing)


Register = Callable[[typer.Typer, str, str], None]

COMMANDS = (
    Command("demo", "See jobs survive a flaky server and a killed worker."),
    Command("chaos", "Harm workers on purpose and count what was lost."),
    Command("migrate", "Bring the database's schema up to date."),
    Command("worker", "Run jobs."),
    Command("enqueue", "Store a job."),
    Command("top", "Watch queues, workers and errors, live."),
    Command("stats", "What ended lately: counts, rates, waits and runs."),
    Command("errors", "What went wrong lately, errors that are alike together.", "recent_errors"),
    Command("explain", "Why a job is not running."),
    Command("jobs", "List, show, signal, cancel, replay and mend jobs."),
    Command("dead", "List, triage, replay and export dead letters."),
    Command("runs", "Start, list, show, seal, cancel and replay runs."),
    Command("queues", "List, show, set, pause and resume queues."),
    Command("pipelines", "List, show and move pipelines."),
    Command("endpoints", "List, show, set, open, close and watch endpoints."),
    Command("workers", "List, show, drain and recommend workers."),
    Command("simulate-model", "Run a model server to test against, slow and flaky."),
    Command("doctor", "Look for what is wrong, and say how to mend it."),
    Command("db", "Open psql on the database."),
    Command("version", "Print the version."),
)


def build(words: set[str]) -> typer.Typer:
    """The command line, with those commands in full that `words` name."""
    app = typer.Typer(
        name="holdfast",
        help="Holdfast holds every job fast until it is done.",
        epilog="The options above stand before the command. Every option can be set by the environment.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"auto_envvar_prefix": "HOLDFAST", "help_option_names": ["-h", "--help"]},
        callback=choose_target,
    )
    for command in COMMANDS:
        if command.name in words:
            command.register(app)
        else:
            command.register_line(app)
    return app


def _nothing() -> None:
    """Stands in the list for a command that was not called."""
