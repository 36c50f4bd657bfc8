"""Bulk actions over HTTP: asked for, done by the worker inside `serve`, read, and stopped."""

import asyncio
from typing import Any

from httpx2 import AsyncClient

from holdfast.api.people.action_worker import acting
from holdfast.client.app import Holdfast
from tests.api.conftest import Headers, MakeKey
from tests.builders import dead_job, ready_jobs
from tests.patience import PATIENCE

ACTIONS = "/api/v1/actions"
CANCEL: dict[str, Any] = {
    "action": "cancel", "filter": {"queue": "mail", "older_than": 0}, "reason": "the campaign was stopped",
}  # fmt: skip


async def until(http: AsyncClient, key: Headers, action: str, *states: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while True:
            found: dict[str, Any] = (await http.get(f"{ACTIONS}/{action}", headers=key)).json()
            if found["state"] in states:
                return found
            await asyncio.sleep(0.02)


async def test_an_action_is_done_by_the_worker_of_the_server(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    key = await make_key("operator", queues=["mail"])
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 3, queue="mail")
        await ready_jobs(conn, 1, queue="other")
    repeated = {**key, "Idempotency-Key": "stop-17"}
    asked = await http.post(ACTIONS, headers=repeated, json=CANCEL)
    assert asked.status_code == 202, asked.text
    again = await http.post(ACTIONS, headers=repeated, json=CANCEL)
    assert again.json() == {"id": asked.json()["id"], "created": False}
    waiting = await http.get(f"{ACTIONS}/{asked.json()['id']}", headers=key)
    assert (waiting.json()["state"], waiting.json()["result"]) == ("ready", None)
    async with acting(database_url):
        found = await until(http, key, asked.json()["id"], "completed")
    assert found["result"] == {"matched": 3, "dry_run": False, "counts": {"cancelled": 3}}
    assert (found["actor"], found["reason"]) == ("operator-mail", "the campaign was stopped")
    assert found["progress"]["done"] == found["progress"]["total"] == 3
    events = await app.database.fetch("select actor, reason from holdfast.events where cause = 'cancel'")
    assert {tuple(row) for row in events} == {("operator-mail", "the campaign was stopped")}
    assert len(events) == 3


async def test_an_action_is_done_on_jobs_with_a_value_in_their_payload(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    key = await make_key("operator")
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 2, queue="mail", payload={"customer": {"id": 4711}})
        await ready_jobs(conn, 1, queue="mail", payload={"customer": {"id": 4712}})
    chosen = {"payload": {"customer.id": 4711}, "enqueued_after": "2001-01-01T00:00:00Z"}
    asked = await http.post(ACTIONS, headers=key, json={**CANCEL, "filter": chosen})
    async with acting(database_url):
        found = await until(http, key, asked.json()["id"], "completed")
    assert found["result"]["counts"] == {"cancelled": 2}


async def test_an_action_that_waits_for_its_canary_is_stopped_and_keeps_what_it_did(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    key = await make_key("operator")
    async with app.database.transaction() as conn:
        for _ in range(3):
            await dead_job(conn, queue="mail")
    body = {"action": "replay_dead_letters", "filter": {"queue": "mail"}, "reason": "fixed", "canary": 1}
    action = (await http.post(ACTIONS, headers=key, json=body)).json()["id"]
    async with acting(database_url):
        async with asyncio.timeout(PATIENCE):
            while not await app.database.fetch("select from holdfast.jobs where queue = 'mail'"):
                await asyncio.sleep(0.02)
        assert (await http.delete(f"{ACTIONS}/{action}", headers=key)).json()["result"] == "asked"
        found = await until(http, key, action, "cancelled")
    assert found["result"]["counts"] == {"replayed": 1}
    ended = await http.post(f"{ACTIONS}/{action}/cancel", headers=key)
    assert ended.json()["result"] == "ended"


async def test_a_job_that_dies_after_the_request_is_left_alone_whatever_the_filter_says(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    """A job that is replayed and dies again would otherwise be replayed for ever."""
    key = await make_key("operator")
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="mail")
    wanted = {"queue": "mail", "until": "2999-01-01T00:00:00Z"}
    body = {"action": "replay_dead_letters", "filter": wanted, "reason": "fixed"}
    action = (await http.post(ACTIONS, headers=key, json=body)).json()["id"]
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="mail")
    async with acting(database_url):
        found = await until(http, key, action, "completed")
    assert (found["result"]["matched"], found["result"]["counts"]) == (1, {"replayed": 1})


async def test_an_action_of_a_stopping_server_is_released_for_the_next_one(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    key = await make_key("operator")
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 3, queue="mail")
    slow = {**CANCEL, "pace": "1/h"}
    action = (await http.post(ACTIONS, headers=key, json=slow)).json()["id"]
    async with acting(database_url):
        async with asyncio.timeout(PATIENCE):
            while not await app.database.fetch("select from holdfast.events where cause = 'cancel'"):
                await asyncio.sleep(0.02)
    found = (await http.get(f"{ACTIONS}/{action}", headers=key)).json()
    assert (found["state"], found["result"]["counts"]) == ("ready", {"cancelled": 1})


async def test_an_action_whose_key_was_revoked_is_rejected(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, database_url: str
) -> None:
    viewer = await make_key("viewer")
    asked = await http.post(ACTIONS, headers=await make_key("operator"), json=CANCEL)
    await app.keys.revoke("operator")
    async with acting(database_url):
        found = await until(http, viewer, asked.json()["id"], "rejected")
    assert found["problem"] == "The access key that asked for this action is expired or revoked."


WRONG: list[dict[str, Any]] = [
    {"action": "destroy"},
    {"action": None},
    {"filter": {}},
    {"filter": None},
    {"filter": ["mail"]},
    {"filter": {"colour": "red"}},
    {"filter": {"queue": 7}},
    {"filter": {"state": "completed"}},
    {"filter": {"queue": "holdfast"}},
    {"filter": {"attempt": 10**30}},
    {"filter": {"labels": "x"}},
    {"filter": {"payload": "customer.id:4711"}},
    {"filter": {"payload": {}}},
    {"filter": {"payload": {"a..b": 1}}},
    {"filter": {"payload": {"a": "\x00"}}},
    {"filter": {"payload": {"a": [1]}}},
    {"filter": {"enqueued_after": "2h"}},
    {"reason": ""},
    {"reason": 7},
    {"pace": "fast"},
    {"pace": 0},
    {"dry_run": "yes"},
    {"priority": 3},
    {"action": "set_priority"},
    {"action": "set_priority", "priority": 101},
    {"action": "move", "filter": {"queue": "mail"}},
    {"action": "move", "filter": {"queue": "mail"}, "to": "mail"},
    {"action": "replay_dead_letters", "filter": {"since": "yesterday"}},
    {"action": "replay_dead_letters", "filter": {"since": "2030-01-31"}},
    {"action": "replay_dead_letters", "filter": {"queue": "mail"}, "canary": -1},
    {"action": "replay_dead_letters", "filter": {"queue": "mail"}, "canary_timeout": "soon"},
    {"action": "resolve_dead_letters", "filter": {"queue": "mail"}, "status": "lost"},
    {"action": "replay", "filter": {"queue": "mail", "state": "ready"}},
]


async def test_what_cannot_be_done_is_refused_at_once(http: AsyncClient, make_key: MakeKey) -> None:
    key = await make_key("operator")
    for wrong in WRONG:
        answered = await http.post(ACTIONS, headers=key, json={**CANCEL, **wrong})
        assert answered.status_code == 422, (wrong, answered.text)
        assert answered.json()["hint"]
