"""Fields of payloads that hold secrets: hidden on pages, and from filters that would reveal them."""

import re
from functools import partial

from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.model.masking import Masking
from tests.api.conftest import MakeKey
from tests.builders import a_worker, dead_job, ready_job
from tests.dashboard.test_actions import asked

SECRET = "open sesame"


async def test_jobs_are_not_found_by_fields_that_the_server_masks(app: Holdfast, make_key: MakeKey) -> None:
    async with app.database.transaction() as conn:
        await ready_job(conn, queue="mail", task="send", payload={"iban": "DE1", "note": "x"})
    masking = Masking.with_more(["iban"])
    api = api_app(app, add_pages=partial(add_dashboard, masking=masking))
    async with AsyncClient(transport=ASGITransport(app=api), base_url="http://localhost") as client:
        client.headers |= await make_key("viewer")
        hidden = (await client.get("/jobs?payload=iban:DE1")).text
        assert "You cannot filter by iban, because that field of payloads is hidden." in hidden
        assert "/jobs/0" not in hidden
        assert "/jobs/0" in (await client.get("/jobs?payload=note:x")).text


async def test_fields_that_hold_secrets_are_masked_wherever_the_payload_is_shown(
    http: AsyncClient, app: Holdfast
) -> None:
    payload = {"user": "ada", "password": "open sesame", "headers": {"Authorization": "Bearer xyz"}}
    async with app.database.transaction() as conn:
        job = (await dead_job(conn, queue="mail", task="send", payload=payload)).id
    page = (await http.get(f"/jobs/{job}")).text
    assert "ada" in page
    assert '<span class="masked">masked</span>' in page
    for secret in ("open sesame", "Bearer xyz"):
        assert secret not in page, "nor in what can be copied or edited"


async def test_labels_that_hold_secrets_are_masked_in_lists_and_no_filter(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await ready_job(conn, queue="mail", labels={"password": SECRET, "team": "search"})
    page = (await http.get("/jobs")).text
    assert "password=masked" in page
    assert "team=search" in page
    assert SECRET not in page
    hidden = (await http.get("/jobs", params={"label": f"password={SECRET}"})).text
    assert "The label password is masked." in hidden
    assert "/jobs/0" not in hidden
    assert "/jobs/0" in (await http.get("/jobs?label=team=search")).text


async def test_a_schedule_shows_its_secrets_neither_in_its_form_nor_in_the_audit_trail(
    http: AsyncClient, app: Holdfast
) -> None:
    payload = {"password": SECRET, "size": 3}
    await app.schedules.add(
        "nightly", task="t", every="15m", payload=payload, options={"labels": {"token": SECRET}}
    )
    await app.schedules.add("plain", task="t", every="15m", payload={"size": 4711})
    page = (await http.get("/schedules")).text
    assert SECRET not in page
    assert "4711" in page, "what is not masked can be edited"
    trail = (await http.get("/audit?cause=set_schedule")).text
    assert SECRET not in trail
    events = re.findall(r'href="(/audit/\d+)"', trail)
    assert len(events) == 2
    for address in events:
        shown = (await http.get(address)).text
        assert SECRET not in shown
        assert "payload" in shown


async def test_a_bulk_action_shows_no_secret_of_its_filter_or_output(http: AsyncClient) -> None:
    wanted = {"queue": "mail", "payload": {"password": SECRET}, "labels": {"token": SECRET}}
    action = await asked(http, action="complete", filter=wanted, output={"apiKey": SECRET, "size": 4711})
    page = (await http.get(f"/actions/{action}")).text
    assert SECRET not in page
    assert "open+sesame" not in page, "nor in a link"
    assert "4711" in page


async def test_metadata_of_a_worker_that_holds_secrets_is_masked(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        worker = await a_worker(conn, metadata={"token": SECRET, "rack": "b7"})
    page = (await http.get(f"/workers/{worker}")).text
    assert "b7" in page
    assert SECRET not in page
