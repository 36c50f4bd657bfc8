"""What an app says about its queues and tasks."""

import json
from datetime import timedelta
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.retry import RetryPolicy


async def test_policies_arrive_with_the_keys_given_and_no_others(app: Holdfast, db: Database) -> None:
    app.queue("mail", timeout="5m", retry="chat", notify=False)
    await app.declare()
    await db.execute("update holdfast.queues set max_losses = 7, weight = 3")
    app.queue("mail", weight=2)
    await app.declare()
    (queue,) = await db.fetch("select * from holdfast.queues where name = 'mail'")
    assert (queue["timeout"], queue["notify"], queue["max_losses"]) == (timedelta(minutes=5), False, 7)
    assert queue["weight"] == 2
    assert json.loads(queue["retry"]) == {"delays": [0, 0]}


async def test_tasks_arrive_with_their_settings_and_their_queues_exist(app: Holdfast, db: Database) -> None:
    @app.task(queue="mail", retry=RetryPolicy.fixed("1m", "5m"), max_failures=5, timeout=30, priority=9)
    async def greet() -> None: ...

    await app.declare()
    (task,) = await db.fetch("select * from holdfast.tasks")
    assert (task["name"], task["queue"], task["max_failures"], task["priority"]) == ("greet", "mail", 5, 9)
    assert task["timeout"] == timedelta(seconds=30)
    assert json.loads(task["retry"]) == {"delays": [60, 300]}
    assert [row["name"] for row in await db.fetch("select name from holdfast.queues")] == ["mail"]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("5m", {"delays": [300]}),
        (timedelta(seconds=90), {"delays": [90]}),
        (["5m", "10m"], {"delays": [300, 600]}),
        (RetryPolicy.fixed("1m"), {"delays": [60]}),
        ("posts", {"delays": [60, 300, 900]}),
    ],
)
async def test_the_rest_after_a_loss_is_a_retry_policy_or_one_duration(
    app: Holdfast, db: Database, given: Any, stored: Any
) -> None:
    app.queue("mail", rescue_delay=given)
    await app.declare()
    (queue,) = await db.fetch("select rescue_delay from holdfast.queues")
    assert json.loads(queue["rescue_delay"]) == stored


@pytest.mark.parametrize(
    "policy", [{"colour": "red"}, {"timeout": "soon"}, {"retry": "never"}, {"rescue_delay": "soon"}]
)
def test_a_queue_policy_that_cannot_be_is_refused_at_once(policy: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        Holdfast().queue("mail", **policy)


async def test_all_queues_are_paused_and_resumed_in_the_apps_name(app: Holdfast, db: Database) -> None:
    await app.pause_all_queues("a copy of production")
    (pause,) = await db.fetch("select reason, actor from holdfast.pause_view")
    assert tuple(pause) == ("a copy of production", app.name)
    assert await app.resume_all_queues() == []
    assert await db.fetch("select from holdfast.pause_view") == []


async def test_a_queue_is_paused_and_resumed_in_the_apps_name(app: Holdfast, db: Database) -> None:
    app.queue("mail")
    await app.declare()
    await app.pause_queue("mail", "the server is down")
    (queue,) = await db.fetch("select paused_at, paused_reason from holdfast.queues")
    assert queue["paused_at"] is not None
    assert queue["paused_reason"] == "the server is down"
    await app.resume_queue("mail")
    assert [row[0] for row in await db.fetch("select paused_at from holdfast.queues")] == [None]
    assert {row[0] for row in await db.fetch("select actor from holdfast.events")} == {"tests"}
