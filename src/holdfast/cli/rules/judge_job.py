"""`holdfast rules test`."""

from typing import Annotated

import typer

from holdfast.cli.frame.common_options import Json, labels
from holdfast.cli.frame.output import tell
from holdfast.cli.frame.render import Columns, print_json, print_list
from holdfast.cli.frame.session import with_database
from holdfast.cli.jobs.enqueue import read_payload
from holdfast.db import rules
from holdfast.model.json_document import json_text
from holdfast.model.rule import RuleTest, TestedRule

COLUMNS: Columns[TestedRule] = {
    "rule": lambda rule: rule.name,
    "matched": lambda rule: ("yes" if rule.matched else "no") if rule.enabled else "disabled",
    "points": lambda rule: "" if rule.points is None else f"{rule.points:+d}",
    "queue": lambda rule: rule.queue or "",
    "because": lambda rule: ", ".join(f"{fact} is {_value(rule, fact)}" for fact in sorted(rule.looked_at)),
}


def judge_job(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="The task of the job.")],
    payload: Annotated[
        str,
        typer.Argument(help="The payload as JSON. Use '-' to read it from stdin, or '@FILE' for a file."),
    ] = "{}",
    queue: Annotated[str | None, typer.Option(help="Test as if the caller gave this queue.")] = None,
    priority: Annotated[int | None, typer.Option(help="Test as if the caller gave this priority.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Test as if the caller gave this label, such as team=search. You can repeat this option.",
        ),
    ] = None,
    origin: Annotated[
        str,
        typer.Option(help="Test as if the job had this origin. Jobs of 'holdfast enqueue' have 'manual'."),
    ] = "automatic",
    as_json: Json = False,
) -> None:
    """Show which queue and priority the rules would give to a job.

    Also shows which rules match, and why. Stores no job.
    """
    given = {"queue": queue, "priority": priority, "labels": labels(label), "origin": origin}
    options = {name: value for name, value in given.items() if value is not None}
    text = read_payload(payload)
    found = with_database(context, lambda database: rules.test_rules(database, task, text, options))
    if as_json:
        print_json(found)
    else:
        _show(found, origin)


def _show(found: RuleTest, origin: str) -> None:
    judge = f"the rules of {found.of or 'nothing'}, for the origin {origin}"
    tell(f"queue {found.queue}, priority {found.priority}; judged by {judge}")
    if found.rules:
        print_list(False, "rules", found.rules, COLUMNS, keep=("rule", "matched"))


def _value(rule: TestedRule, fact: str) -> str:
    value = rule.looked_at[fact]
    return "absent" if value is None else json_text(value)
