"""What people have set in a busy installation: pauses, pairs, schedules, rules, flags and roll-outs."""

from collections.abc import Mapping
from typing import Any

from holdfast.client.rules import read_rules
from holdfast.client.schedule import schedule_wire
from holdfast.db import flags, moves, queues, rollouts, rules, schedules
from holdfast.db.connect import Connection
from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.rule import RuleOwner

ADA, GRACE = "ada", "grace"


async def set_up(conn: Connection) -> None:
    await _queues(conn)
    await _schedules(conn)
    await _rules(conn)
    for name, value, queue, group, reason in (
        ("detail", "full", None, None, "an audit in March"),
        ("rescue", "off", "capture-backfill", None, "we look at a hanging job"),
        ("slots", "20", None, "gpu", "the model server is slow"),
    ):
        await flags.set_flag(conn, name, value, queue, group, reason, ADA)
    for name, share in (("new-editor", 20.0), ("inngest-capture", 100.0), ("second-model", 0.0)):
        await rollouts.set_rollout(conn, name, share, "step by step", GRACE)


async def _queues(conn: Connection) -> None:
    await queues.set_queue(
        conn,
        "bill-alerts",
        {"timeout": 120, "max_concurrent": 4, "retry": {"delays": [20, 60, 180]}, "logs": "all"},
        "the model is slow",
        ADA,
    )
    await queues.pause_queue(
        conn, "capture-backfill", "the model server is under maintenance until noon", ADA
    )
    await moves.set_rebalance(
        conn, "repo-capture", "capture-backfill", {"ratio": 3, "max_jobs": 500}, "two processors", GRACE
    )


async def _schedules(conn: Connection) -> None:
    wanted: dict[str, Mapping[str, Any]] = {
        "nightly-report": {"task": "report", "cron": "30 2 * * *", "tz": "Europe/Berlin"},
        "poll-bills": {
            "task": "match",
            "every": "15m",
            "overlap": "skip",
            "payload": {"states": ["CA", "NY"]},
        },
        "weekly-posts": {"pipeline": "posts", "cron": "0 9 * * 1", "payload": {"topic": "the week"}},
        "old-import": {"task": "import", "cron": "0 4 * * *"},
    }
    for name, settings in wanted.items():
        await schedules.set_schedule(conn, name, schedule_wire(name, settings), "set up", GRACE)
    for due in await schedules.due_schedules(conn, len(wanted)):  # as a worker does within a second
        first = ScheduleTimes.read(due.cron, due.every, due.tz).after(due.counts_from)
        await schedules.check_schedule(conn, due.name, due.counts_from, first)
    await schedules.pause_schedule(conn, "old-import", "the source has moved", ADA)
    await schedules.run_schedule(conn, "poll-bills", "a first look", ADA)


async def _rules(conn: Connection) -> None:
    preset = read_rules("repo-capture").with_routes({"bulk": "capture-backfill", "real-time": "repo-capture"})
    for rule in preset.rules:
        policy = {key: value for key, value in rule.items() if key != "name"}
        await rules.set_rule(conn, RuleOwner.TASK, "capture", rule["name"], policy, "two processors", GRACE)
    await rules.set_rule_set(conn, RuleOwner.TASK, "capture", preset.policy, "two processors", GRACE)
    night = {"condition": "$.hour >= 22 || $.hour < 6", "points": -10}
    await rules.set_rule(conn, RuleOwner.QUEUE, "chat-replies", "at night", night, "fewer people wait", ADA)
    await rules.set_rule(
        conn, RuleOwner.QUEUE, "chat-replies", "at night", {"enabled": False}, "it is summer", ADA
    )
