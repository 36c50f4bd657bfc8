"""What a person does on the page of one job, in a browser, and what the database says afterwards."""

import json

import pytest
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.db import pipelines
from holdfast.model.id import JobId, Token
from tests.builders import claim_one, dead_job, fail, state_of
from tests.stage_builders import a_pipeline, job_that_waits, walked_job


@pytest.mark.slow
async def test_a_person_replays_a_dead_job(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn)
    await tab.goto(f"/jobs/{job.id}")
    await tab.get_by_role("button", name="Replay…").click()
    await tab.get_by_role("textbox", name="Reason").fill("the server works again")
    await tab.get_by_role("button", name="Replay the job").click()
    await expect(tab.locator(".head .badge")).to_have_text("Ready")
    await expect(tab.locator(".flow")).to_contain_text("the server works again")
    async with app.database.connection() as conn:
        assert await state_of(conn, job.id) == "ready"


@pytest.mark.slow
async def test_a_person_ranks_and_cancels_a_job_and_replays_it_from_a_stage(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
        job = await walked_job(conn, "b")
        await fail(conn, job, error_class="permanent")
    await tab.goto(f"/jobs/{job.id}")
    reason = tab.get_by_role("dialog").get_by_label("Reason")
    await tab.get_by_role("button", name="Replay…").click()
    await tab.get_by_label("Stage").select_option("a")
    await reason.fill("its first stage was wrong")
    await tab.get_by_role("button", name="Replay the job").click()
    await expect(tab.locator(".head .badge")).to_have_text("Ready")
    assert (await app.job(job.id).job()).queue == "line.a"
    await tab.get_by_role("button", name="Set priority…").click()
    await tab.get_by_role("spinbutton", name="Priority").fill("90")
    await reason.fill("a customer waits")
    await tab.get_by_role("button", name="Set the priority").click()
    await expect(tab.get_by_role("status").filter(has_text="The priority was set")).to_be_visible()
    assert (await app.job(job.id).job()).priority == 90
    await tab.get_by_role("button", name="Cancel job…").click()
    await reason.fill("wrong list")
    await tab.get_by_role("button", name="Cancel the job").click()
    await expect(tab.locator(".head .badge")).to_have_text("Cancelled")
    assert await app.job(job.id).status() == "cancelled"
    told = {one.cause: one.reason for one in await app.audit.find(3)}
    assert told["cancel"] == "wrong list"


@pytest.mark.slow
async def test_a_person_signals_a_waiting_job(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await job_that_waits(conn, "approval")
    await tab.goto(f"/jobs/{job.id}")
    await tab.get_by_role("button", name="Signal…").click()
    data = tab.get_by_role("textbox", name="Data")
    await data.fill("{by:")
    await tab.get_by_role("button", name="Send the signal").click()
    await expect(tab.get_by_role("alert")).to_contain_text("Data must be JSON")
    await data.fill('{"by": "ada"}')
    await tab.get_by_role("button", name="Send the signal").click()
    await expect(tab.get_by_role("status").filter(has_text="Signal: resumed")).to_be_visible()
    await expect(tab.locator(".head .badge")).to_have_text("Ready")
    async with app.database.transaction() as conn:
        held = await claim_one(conn, job.worker)
        told = await pipelines.await_signal(conn, JobId(job.id), Token(held.token), "approval")
    assert told.data == {"by": "ada"}


async def test_a_person_replaces_a_dead_job_with_another_payload(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn, payload={"to": "ada\u202e", "customer": 12345678901234567890})
    await tab.goto(f"/jobs/{job.id}")
    await tab.get_by_role("button", name="Replace…").click()
    payload = tab.get_by_role("textbox", name="Payload")
    before = await payload.input_value()
    assert json.loads(before) == {"to": "ada\u202e", "customer": 12345678901234567890}
    await payload.fill(before.replace("ada", "bob"))
    await tab.locator("#replace").get_by_label("Reason").fill("a wrong address")
    await tab.get_by_role("button", name="Enqueue the new job").click()
    await expect(tab.locator(".kv")).to_contain_text([f"job {str(job.id)[-12:]}"])
    new = tab.url.rsplit("/", 1)[-1]
    found = await app.job(new).job()
    assert found.payload == {"to": "bob\u202e", "customer": 12345678901234567890}, "to the last digit"
