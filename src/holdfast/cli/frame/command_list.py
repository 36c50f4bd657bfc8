"""Every command, and the function that does it. Only the one that is called is imported, so that
`holdfast --help` is quick.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperOption

from holdfast.cli.frame.global_options import choose_target

Function = Callable[..., Any]
METAVARS = {"str": "NAME", "int": "N", "float": "NUMBER"}


class PlainHelp(TyperCommand):
    """Names an environment variable for each option, and states the rule once, by an example.

    A variable that an option shares with other commands, such as HOLDFAST_APP, is shown. A value is shown
    as a word instead of a Python type.
    """

    def __init__(self, *arguments: Any, epilog: str | None = None, **options: Any) -> None:
        """`epilog` is the words of the command; Typer passes on no argument of ours."""
        super().__init__(*arguments, **options)
        for option in self.params:
            if isinstance(option, TyperOption):
                option.show_envvar = option.envvar is not None
                option.metavar = option.metavar or METAVARS.get(option.bare_type())
                if option.envvar is None:
                    typed = max(option.opts, key=len)
                    option.envvar = variable_of(f"{epilog} {typed}")
                    self.epilog = self.epilog or (
                        "Each option can also be set by its own environment variable, for example "
                        f"{typed} by {option.envvar}."
                    )


def variable_of(words: str) -> str:
    """The words as they are typed: `queues pause --all` as HOLDFAST_QUEUES_PAUSE_ALL."""
    return re.sub(r"\W+", "_", f"holdfast {words}").replace("-", "_").upper()


@dataclass(frozen=True, slots=True)
class Command:
    """A line of `holdfast --help`. `place` is "module:function" below holdfast.cli."""

    name: str
    help: str
    place: str
    passes_arguments_to: str | None = None

    def register(self, app: typer.Typer) -> None:
        function = _load(self.place)
        more = inspect.getdoc(function)
        text = f"{self.help}\n\n{more}" if more else self.help
        if self.passes_arguments_to is None:
            app.command(self.name, cls=PlainHelp, help=text, epilog=self.name)(function)
        else:
            settings = {"allow_extra_args": True, "ignore_unknown_options": True}
            takes = f"[{self.passes_arguments_to} ARGUMENT]..."
            app.command(self.name, help=text, context_settings=settings, options_metavar=takes)(function)

    def register_line(self, app: typer.Typer) -> None:
        app.command(self.name, help=self.help)(_nothing)


@dataclass(frozen=True, slots=True)
class Noun:
    """`holdfast NOUN VERB`; the help of each verb is its function's docstring.

    `alone` is what `holdfast NOUN` does without a verb. It is called before a verb, too, and returns then.
    """

    name: str
    help: str
    verbs: Mapping[str, str]
    alone: str | None = None

    def register(self, app: typer.Typer) -> None:
        group, text = typer.Typer(no_args_is_help=self.alone is None, rich_markup_mode=None), self.help
        if self.alone is not None:
            function = _load(f"{self.name}.{self.alone}")
            group.callback(invoke_without_command=True)(function)
            text = f"{self.help}\n\n{inspect.getdoc(function)}"
        for verb, place in self.verbs.items():
            words = f"{self.name} {verb}"
            group.command(verb, cls=PlainHelp, epilog=words)(_load(f"{self.name}.{place}"))
        app.add_typer(group, name=self.name, help=text)

    def register_line(self, app: typer.Typer) -> None:
        app.command(self.name, help=self.help)(_nothing)


COMMANDS = (
    Command("demo", "See jobs survive a flaky server and a killed worker.", "demo.command:demo"),
    Command("migrate", "Bring the database's schema up to date.", "database.migrate:migrate"),
    Command("worker", "Run jobs.", "workers.run_worker:run_worker"),
    Command("up", "Run the HTTP API and workers on one machine.", "up.command:up"),
    Command("serve", "Serve the HTTP API.", "serve:serve"),
    Command("enqueue", "Add a job to a queue.", "jobs.enqueue:enqueue"),
    Command("import", "Enqueue the pending rows of your own queue table.", "jobs.import_rows:import_rows"),
    Command("top", "Watch queues, workers, endpoints and errors, live.", "top.command:top"),
    Command("stats", "Show counts, rates and durations of recently ended jobs.", "queues.stats:show_stats"),
    Command("report", "Report on a period as text, JSON or an HTML page.", "report.command:report"),
    Command("errors", "Group recent errors by cause.", "jobs.recent_errors:show_errors"),
    Command("explain", "Explain why a job is not running.", "jobs.explain:explain"),
    Noun(
        "jobs",
        "List, show, signal, cancel, replay and change jobs.",
        {
            "list": "list_jobs:list_jobs",
            "show": "show_job:show_job",
            "checkpoints": "show_job:show_checkpoints",
            "logs": "job_logs:show_logs",
            "limit-logs": "job_logs:limit_logs",
            "wait": "wait_and_signal:wait_jobs",
            "signal": "wait_and_signal:signal_job",
            "cancel": "cancel_and_replay:cancel_jobs",
            "replay": "cancel_and_replay:replay_jobs",
            "reclaim": "operator_actions:reclaim_jobs",
            "complete": "operator_actions:complete_jobs",
            "fail": "operator_actions:fail_jobs",
            "set-priority": "operator_actions:set_priority",
        },
    ),
    Noun(
        "dead",
        "List, triage, replay and export dead jobs (dead letters).",
        {
            "list": "list_letters:list_letters",
            "groups": "list_letters:list_groups",
            "show": "show_letter:show_letter",
            "export": "export_letters:export_letters",
            "note": "triage_letters:note_letters",
            "assign": "triage_letters:assign_letters",
            "resolve": "triage_letters:resolve_letters",
            "replay": "replay_letters:replay_letters",
        },
    ),
    Noun(
        "runs",
        "Start, seal, cancel and replay runs (batches of jobs).",
        {
            "start": "change_runs:start_run",
            "list": "list_runs:list_runs",
            "show": "show_run:show_run",
            "wait": "show_run:wait_run",
            "seal": "change_runs:seal_run",
            "raise-budget": "change_runs:raise_budget",
            "extend": "change_runs:extend_run",
            "cancel": "cancel_and_replay_run:cancel_run",
            "replay": "cancel_and_replay_run:replay_run",
        },
    ),
    Noun(
        "queues",
        "List, show, set, pause and resume queues; move jobs.",
        {
            "list": "list_queues:list_queues",
            "show": "list_queues:show_queue",
            "depth": "queue_depth:show_depth",
            "set": "set_queue:set_queue",
            "pause": "pause_queue:pause_queue",
            "resume": "pause_queue:resume_queue",
            "move": "move_jobs:move_jobs",
            "rebalance": "rebalance:rebalance",
            "set-rebalance": "rebalance:set_rebalance",
            "list-rebalance": "rebalance:list_rebalance",
            "remove-rebalance": "rebalance:remove_rebalance",
            "keep-statistics": "stats:keep_statistics",
        },
    ),
    Noun(
        "rollouts",
        "List, set and check gradual roll-outs.",
        {
            "list": "change_rollout:list_rollouts",
            "set": "change_rollout:set_rollout",
            "check": "change_rollout:check_rollout",
        },
    ),
    Noun(
        "rules",
        "List, change, test and import rules for new jobs.",
        {
            "list": "list_rules:list_rules",
            "add": "change_rules:add_rule",
            "set": "change_rules:set_rule",
            "remove": "change_rules:remove_rule",
            "enable": "change_rules:enable_rule",
            "disable": "change_rules:disable_rule",
            "test": "judge_job:judge_job",
            "import": "import_rules:import_rules",
        },
    ),
    Noun(
        "pipelines",
        "List and show pipelines; move jobs to another version.",
        {
            "list": "list_pipelines:list_pipelines",
            "show": "show_pipeline:show_pipeline",
            "move": "move_pipeline:move_pipeline",
        },
    ),
    Noun(
        "schedules",
        "List, add, set, pause, resume, remove and run schedules.",
        {
            "list": "list_schedules:list_schedules",
            "add": "change_schedule:add_schedule",
            "set": "change_schedule:set_schedule",
            "pause": "change_schedule:pause_schedule",
            "resume": "change_schedule:resume_schedule",
            "remove": "change_schedule:remove_schedule",
            "run": "change_schedule:run_schedule",
        },
    ),
    Noun(
        "endpoints",
        "Show and limit endpoints (services that jobs call).",
        {
            "list": "list_endpoints:list_endpoints",
            "show": "list_endpoints:show_endpoint",
            "set": "change_endpoint:set_endpoint",
            "open": "change_endpoint:open_endpoint",
            "close": "change_endpoint:close_endpoint",
            "watch": "watch_endpoint:watch_endpoint",
        },
    ),
    Noun(
        "workers",
        "List, show and drain workers; recommend how many to run.",
        {
            "list": "list_workers:list_workers",
            "show": "list_workers:show_worker",
            "left": "left_workers:show_left",
            "drain": "drain_workers:drain_workers",
            "recommend": "recommend_workers:recommend_workers",
            "continue": "request_successors:request_successors",
        },
    ),
    Noun(
        "flags",
        "List and set flags: switches that running workers follow.",
        {
            "list": "list_flags:list_flags",
            "set": "set_flag:set_flag",
            "unset": "set_flag:unset_flag",
        },
    ),
    Noun(
        "metrics",
        "Print metrics for Prometheus; store metrics of your own.",
        {
            "report": "report_metric:report_metric",
            "reported": "report_metric:list_reported",
            "history": "report_metric:show_history",
        },
        alone="print_metrics:print_metrics",
    ),
    Noun(
        "audit",
        "List, show, export and verify the audit trail.",
        {
            "list": "list_events:list_events",
            "show": "list_events:show_event",
            "verify": "verify_trail:verify_trail",
            "export": "list_events:export_events",
        },
    ),
    Noun(
        "keys",
        "Create, list, rotate and revoke API access keys.",
        {
            "create": "change_keys:create",
            "list": "list_keys:list_keys",
            "rotate": "change_keys:rotate",
            "revoke": "change_keys:revoke",
        },
    ),
    Command("simulate-model", "Run a simulated model server for tests.", "simulate_model:simulate"),
    Command("doctor", "Check the installation and suggest fixes.", "database.doctor:doctor"),
    Command("db", "Open psql on the database.", "database.psql:open_psql", passes_arguments_to="PSQL"),
    Command("version", "Print the version.", "frame.version:print_version"),
)


def build(words: set[str]) -> typer.Typer:
    """The command line, with those commands in full that `words` name."""
    app = typer.Typer(
        name="holdfast",
        help="Durable jobs on PostgreSQL.",
        epilog="Write these options before the command: holdfast --database URL jobs list",
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


def _load(place: str) -> Function:
    module, _, name = place.partition(":")
    function: Function = getattr(import_module(f"holdfast.cli.{module}"), name)
    return function


def _nothing() -> None:
    """Stands in the list for a command that was not called."""
