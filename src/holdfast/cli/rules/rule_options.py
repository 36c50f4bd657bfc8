"""Options that the commands on rules share."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import read_settings
from holdfast.model.error import InvalidOption
from holdfast.model.rule import RuleOwner

OfTask = Annotated[
    str | None, typer.Option("--task", help="The task whose rules you change. Give either --task or --queue.")
]
OfQueue = Annotated[str | None, typer.Option("--queue", help="The queue whose rules you change.")]
RuleName = Annotated[str, typer.Argument(metavar="NAME", help="The rule's name within its task or queue.")]


def owner_of(task: str | None, queue: str | None) -> tuple[RuleOwner, str]:
    if (task is None) == (queue is None):
        raise InvalidOption("A rule belongs to one task or one queue.", "give either --task or --queue")
    return (RuleOwner.TASK, task) if task is not None else (RuleOwner.QUEUE, queue or "")


def rule_settings(pairs: list[str]) -> dict[str, Any]:
    """A condition and a queue are text, even if they look like JSON."""
    readers: dict[str, Callable[[str], Any]] = {
        "condition": str,
        "queue": lambda value: None if value == "null" else value,
    }
    return read_settings(pairs, readers, "points=10")
