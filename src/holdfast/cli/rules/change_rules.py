"""`holdfast rules add`, `set`, `enable`, `disable` and `remove`."""

from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.output import tell
from holdfast.cli.frame.render import print_json
from holdfast.cli.frame.session import with_database
from holdfast.cli.frame.setting_changes import print_changes
from holdfast.cli.rules.rule_options import OfQueue, OfTask, RuleName, owner_of, rule_settings
from holdfast.client import rules as client
from holdfast.db import rules
from holdfast.model.rule import RuleOwner

KEYS = "condition, points, queue, position and enabled"
Settings = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY=VALUE...",
        help=f"The settings. Keys: {KEYS}.",
    ),
]


def add_rule(
    context: typer.Context,
    name: RuleName,
    settings: Settings,
    task: OfTask = None,
    queue: OfQueue = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Add a rule to a task or queue.

    A rule needs a condition. It also needs points, a queue, or both. If a new job matches the condition,
    the points are added to the job's priority, and the job goes to the rule's queue. If a job matches several
    rules with a queue, it goes to the queue of the rule whose position is the lowest number. By default, a
    queue or priority that the caller gives wins over rules.

    The condition is a JSON path predicate on these facts of a job: $.payload, $.labels, $.task, $.queue,
    $.origin, $.size, $.now, $.hour and $.weekday.

    holdfast rules add big 'condition=$.payload.pages > 9' points=20 --task ocr
    """
    (kind, owner), policy = owner_of(task, queue), rule_settings(settings)
    changes = with_database(
        context, lambda database: client.add_rule(database, kind, owner, name, policy, reason, actor())
    )
    print_changes(as_json, name, changes)


def set_rule(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[NAME] KEY=VALUE...", help="The name of a rule, and the settings to change."),
    ],
    task: OfTask = None,
    queue: OfQueue = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Change settings of a rule, or of all rules of a task or queue.

    The settings of a rule are condition, points, queue, position and enabled.

    If you leave out NAME, you change settings that all rules of the task or queue share: base and overrides.
    Each rule that matches a job adds its points to base. With base=null, it adds them to the priority that
    the job would have without rules. With overrides=true, the sum replaces a priority that was given at the
    enqueue.

    The change applies to jobs that are enqueued from now on. The audit trail records the change and --reason.
    """
    kind, owner = owner_of(task, queue)
    if "=" in words[0]:
        policy = rule_settings(words)
        changes = with_database(
            context,
            lambda database: rules.set_rule_set(database, kind, owner, policy, reason, actor()),
        )
        print_changes(as_json, f"{kind} {owner}", changes)
    else:
        _change(context, (kind, owner), words[0], rule_settings(words[1:]), reason, as_json)


def enable_rule(
    context: typer.Context,
    name: RuleName,
    task: OfTask = None,
    queue: OfQueue = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Enable a rule. It applies to jobs that are enqueued from now on."""
    _change(context, owner_of(task, queue), name, {"enabled": True}, reason, as_json)


def disable_rule(
    context: typer.Context,
    name: RuleName,
    task: OfTask = None,
    queue: OfQueue = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Disable a rule without removing it."""
    _change(context, owner_of(task, queue), name, {"enabled": False}, reason, as_json)


def remove_rule(
    context: typer.Context,
    name: RuleName,
    task: OfTask = None,
    queue: OfQueue = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Remove a rule. The audit trail records the settings that the rule had."""
    kind, owner = owner_of(task, queue)
    with_database(context, lambda database: client.remove_rule(database, kind, owner, name, reason, actor()))
    if as_json:
        print_json({"name": name, "removed": True})
    else:
        tell(f"removed: {name}")


def _change(
    context: typer.Context,
    of: tuple[RuleOwner, str],
    name: str,
    policy: dict[str, Any],
    reason: str | None,
    as_json: bool,
) -> None:
    kind, owner = of
    changes = with_database(
        context, lambda database: client.change_rule(database, kind, owner, name, policy, reason, actor())
    )
    print_changes(as_json, name, changes)
