"""Bulk actions: the list of them, and the page of one: what was asked for, how far it is, what it did."""

import asyncio
import html
import json
import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from httpx2 import AsyncClient

from holdfast.api.people.action_worker import acting
from holdfast.client.app import Holdfast
from holdfast.dashboard.job_filters import pairs_of, read_job_query
from holdfast.model.access_key import AccessRole, Caller
from holdfast.model.masking import Masking
from tests.api.conftest import Headers, MakeKey
from tests.builders import dead_job, ready_jobs
from tests.patience import PATIENCE

CANCEL: dict[str, Any] = {
    "action": "cancel",
    "filter": {"queue": "mail"},
    "reason": "the list was wrong",
}


async def asked(http: AsyncClient, headers: Headers | None = None, **changes: Any) -> str:
    answered = await http.post("/api/v1/actions", json={**CANCEL, **changes}, headers=headers)
    assert answered.status_code == 202, answered.text
    return str(answered.json()["id"])


async def ended(app: Holdfast, action: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while not (await app.job(action).status()).is_end:
            await asyncio.sleep(0.02)


def words(page: str) -> str:
    """What a reader sees of it."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


async def test_an_action_shows_what_was_asked_for_and_what_became_of_the_jobs(
    http: AsyncClient, app: Holdfast, database_url: str
) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 2, queue="mail", labels={"team": "search"})
    labelled = {"queue": "mail", "labels": {"team": "search"}}
    action = await asked(http, filter=labelled, pace="100/s")
    before = words((await http.get(f"/actions/{action}")).text)
    assert "It waits for a server" in before
    assert "Stop it…" in before
    async with acting(database_url):
        await ended(app, action)
    page = (await http.get(f"/actions/{action}")).text
    assert "<title>Completed · Cancel 2 jobs · Holdfast</title>" in page
    assert "2 cancelled." in page
    assert '<a href="/jobs?queue=mail&amp;label=team%3Dsearch">Show what matches now</a>' in page
    for part in ("queue mail", "label team=search", "Pace 100/s", "Reason the list was wrong"):
        assert part in words(page), part
    assert "data-api" not in page, "an action that has ended cannot be stopped"
    listed = words((await http.get("/actions")).text)
    assert "completed Cancel 2 jobs queue mail, label team=search 2 cancelled. by " in listed
    assert ": the list was wrong" in listed


async def test_a_dry_run_says_that_nothing_was_changed(
    http: AsyncClient, app: Holdfast, database_url: str
) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 1, queue="mail")
    action = await asked(http, dry_run=True)
    async with acting(database_url):
        await ended(app, action)
    page = words((await http.get(f"/actions/{action}")).text)
    assert "Dry run: cancel 1 job" in page
    assert "1 job would be changed. Nothing was." in page


async def test_an_action_that_was_refused_or_stopped_says_why_and_what_it_did_before(
    http: AsyncClient, app: Holdfast, database_url: str
) -> None:
    async with app.database.transaction() as conn:
        for _ in range(2):
            await dead_job(conn, queue="mail")
    action = await asked(http, action="replay_dead_letters", canary=1)
    async with acting(database_url):
        async with asyncio.timeout(PATIENCE):
            while not await app.database.fetch("select from holdfast.jobs where queue = 'mail'"):
                await asyncio.sleep(0.02)
        running = words((await http.get(f"/actions/{action}")).text)
        assert "Replay 2 dead letters Running 1 of 2 done" in running
        assert (await http.post(f"/api/v1/actions/{action}/cancel")).json()["result"] == "asked"
        await ended(app, action)
    page = (await http.get(f"/actions/{action}")).text
    stopped = r"Stopped by loopback-\w+: cancelled over HTTP\. 1 replayed before that\."
    assert re.search(stopped, words(page))
    assert '<a href="/dead?queue=mail">Show what matches now</a>' in page


async def test_a_key_with_a_scope_sees_its_own_actions_only(
    http: AsyncClient, keyed_http: AsyncClient, make_key: MakeKey
) -> None:
    key, viewer = await make_key("operator", queues=["mail"]), await make_key("viewer")
    own, other = await asked(keyed_http, key), await asked(http)
    listed = (await keyed_http.get("/actions", headers=key)).text
    assert (own in listed, other in listed) == (True, False)
    assert (await keyed_http.get(f"/actions/{own}", headers=key)).status_code == 200
    assert (await keyed_http.get(f"/actions/{other}", headers=key)).status_code == 404
    listed = (await keyed_http.get("/actions", headers=viewer)).text
    assert (own in listed, other in listed) == (True, True)
    assert "Stop it" in (await keyed_http.get(f"/actions/{own}", headers=key)).text
    assert "Stop it" not in (await keyed_http.get(f"/actions/{own}", headers=viewer)).text
    assert (await keyed_http.get("/actions", headers=await make_key("producer"))).status_code == 403
    assert (await http.post(f"/api/v1/actions/{own}/cancel")).status_code == 200
    stopped = (await keyed_http.get(f"/actions/{own}", headers=viewer)).text
    assert "Stopped by loopback-" in words(stopped)
    assert re.search(r"Cancelled by loopback-\w+ before it started; nothing was changed\.", words(stopped))
    assert ">Matched<" not in stopped, "nothing was counted"
    assert "Stopped by" not in words((await keyed_http.get(f"/actions/{own}", headers=key)).text)


async def test_what_is_no_action_is_not_found(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        (job,) = await ready_jobs(conn, 1)
    for wrong in (job, uuid4()):
        assert (await http.get(f"/actions/{wrong}")).status_code == 404
    assert (await http.get("/actions/17")).status_code == 422
    assert "There is no bulk action yet." in (await http.get("/actions")).text


@pytest.mark.parametrize(
    "filters",
    [
        {"queue": "mail", "state": "dead", "older_than": 172_800.0, "failures": 3},
        {"labels": {"team": "search", "tier": 3, "text": "3", "on": True, "quoted": '"x"'}},
        {"payload": {"customer.id": "4711", "items.0.sku": "a:b"}, "unique_key": "order:4711"},
        {"run": "0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11", "enqueued_after": "2030-01-31T09:00:00+00:00"},
    ],
)
def test_the_filter_of_an_action_leads_to_the_same_list_of_jobs(filters: dict[str, Any]) -> None:
    caller = Caller(UUID(int=1), "ada", AccessRole.OPERATOR, None, None, None)
    read = read_job_query(pairs_of(filters), caller, Masking())
    assert (read.filters, read.problem) == (filters, "")


async def test_an_action_that_was_cancelled_before_it_began_can_be_requested_again(
    http: AsyncClient, app: Holdfast
) -> None:
    action = await asked(http, pace="100/s")
    assert "Request it again" not in (await http.get(f"/actions/{action}")).text, "it waits"
    await http.post(f"/api/v1/actions/{action}/cancel")
    page = (await http.get(f"/actions/{action}")).text
    assert "Request it again…" in words(page)
    form = page.split('data-api="POST /actions"')[1].split("</form>")[0]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" (?:data-as="json" )?value="([^"]*)"', form))
    assert html.unescape(fields.pop("action")) == "cancel"
    settings = {name: json.loads(html.unescape(value)) for name, value in fields.items()}
    assert settings == {"filter": {"queue": "mail"}, "pace": "100/s"}
    await asked(http, **settings)
