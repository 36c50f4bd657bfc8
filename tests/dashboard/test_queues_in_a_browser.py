"""Queues: what a person does on their pages, in a browser."""

import re
from datetime import timedelta

import pytest
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.db import queues
from tests.builders import a_worker, claim
from tests.dashboard.test_queues import a_queue_of, jobs_in


@pytest.mark.slow
async def test_a_person_pauses_a_queue_with_a_reason_and_resumes_it(tab: Page, app: Holdfast) -> None:
    await jobs_in(app, "two words ü")
    await tab.goto("/queues")
    await tab.get_by_role("button", name="Pause… two words ü").click()
    dialog = tab.get_by_role("dialog")
    await expect(dialog.get_by_role("heading")).to_have_text("Pause two words ü?")
    await dialog.get_by_label("Reason").fill("<b>hot</b>")
    await dialog.get_by_role("button", name="Pause the queue").click()
    await expect(tab.get_by_role("row").filter(has_text="two words ü")).to_contain_text(": <b>hot</b>")
    (found,) = await queues.list_queues(app.database, 10)
    assert (found.paused_reason, (found.paused_by or "")[:8]) == ("<b>hot</b>", "loopback")
    await tab.get_by_role("link", name="two words ü").click()
    await expect(tab.locator(".live")).to_have_attribute("data-state", "live")
    await tab.get_by_role("button", name="Resume…").click()
    await expect(tab.get_by_role("dialog")).to_contain_text("No live worker takes this queue: nothing starts")
    await tab.get_by_role("button", name="Resume the queue").click()
    await expect(tab.get_by_role("button", name="Pause…")).to_be_visible()
    assert (await queues.get_queue(app.database, "two words ü")).paused_at is None


@pytest.mark.slow
async def test_a_person_pauses_all_queues_with_a_reason_and_resumes_them(tab: Page, app: Holdfast) -> None:
    await jobs_in(app, "mail")
    await jobs_in(app, "chat")
    await tab.goto("/queues")
    await tab.get_by_role("button", name="Pause all…").click()
    dialog = tab.get_by_role("dialog", name="Pause all queues?")
    await dialog.get_by_role("button", name="Pause all queues").click()
    await expect(dialog).to_be_visible()  # without a reason nothing is sent
    await dialog.get_by_label("Reason").fill("<b>the disk is full</b>")
    await dialog.get_by_role("button", name="Pause all queues").click()
    await expect(tab.locator(".verdict")).to_contain_text("<b>the disk is full</b>")
    assert await claims(app, "mail", "chat") == 0
    await tab.get_by_role("button", name="Resume all…").click()
    await tab.get_by_role("button", name="Resume all queues").click()
    await expect(tab.get_by_role("button", name="Pause all…")).to_be_visible()
    assert await claims(app, "mail", "chat") == 2


async def claims(app: Holdfast, *names: str) -> int:
    """How many jobs a worker of these queues gets."""
    async with app.database.transaction() as conn:
        return len(await claim(conn, await a_worker(conn, [*names]), 10))


@pytest.mark.slow
async def test_a_person_changes_a_setting_and_sees_what_it_was_before(tab: Page, app: Holdfast) -> None:
    await jobs_in(app, "mail")
    await tab.goto("/queues/mail")
    for typed, said in (("90s", "timeout none → 90"), ("", "timeout 90 → none")):
        await tab.get_by_role("button", name="Change settings…").click()
        await tab.get_by_label("Timeout").fill(typed)
        await tab.get_by_role("button", name="Save").click()
        await expect(tab.get_by_role("status").filter(has_text=said)).to_be_visible()
        timeout = (await queues.get_queue(app.database, "mail")).timeout
        assert timeout == (timedelta(seconds=90) if typed else None)
        row = tab.get_by_role("row").filter(has_text="How long one attempt may run")
        if typed:
            await expect(row).to_contain_text("90 s")
        else:
            await expect(row).to_have_count(0)  # it is among the defaults, which are folded
    await tab.get_by_role("button", name="Change settings…").click()
    await tab.get_by_label("Jobs at once").fill("0")
    await tab.get_by_role("button", name="Save").click()
    await expect(tab.get_by_role("dialog").get_by_role("alert")).to_contain_text("max_concurrent")


@pytest.mark.slow
async def test_a_person_enqueues_a_job_and_moves_it(tab: Page, app: Holdfast) -> None:
    await a_queue_of(app, "mail", "bulk")
    dialog = tab.get_by_role("dialog")
    await tab.goto("/queues/mail")
    await tab.get_by_role("button", name="Enqueue a job…").click()
    await dialog.get_by_label("Task").fill("send")
    await dialog.get_by_label("Payload").fill("{to: 1}")
    await dialog.get_by_label("Priority").fill("70")
    await dialog.get_by_label("Labels").fill("customer = gold\nregion=eu")
    await tab.get_by_role("button", name="Enqueue the job").click()
    await expect(tab.get_by_role("alert")).to_contain_text("Payload must be JSON: ")
    await dialog.get_by_label("Payload").fill('{"to": "<b>"}')
    await tab.get_by_role("button", name="Enqueue the job").click()
    await tab.wait_for_url(re.compile("/jobs/[0-9a-f-]{36}$"))
    (job,) = await app.jobs()
    assert tab.url.endswith(str(job.id))
    assert (job.queue, job.task, job.payload, job.priority) == ("mail", "send", {"to": "<b>"}, 70)
    assert job.labels == {"customer": "gold", "region": "eu"}
    await tab.goto("/queues/mail")
    await tab.get_by_role("button", name="Move jobs…").click()
    await dialog.get_by_label("To", exact=True).fill("bulk")
    await dialog.get_by_label("Reason").fill("chat comes first")
    await tab.get_by_role("button", name="Move the jobs").click()
    await expect(
        tab.get_by_role("status").filter(has_text="Moved 1 ready and 0 scheduled jobs to bulk")
    ).to_be_visible()
    assert [one.queue for one in await app.jobs()] == ["bulk"]


async def test_a_person_sees_what_rebalancing_would_do_and_does_it(tab: Page, app: Holdfast) -> None:
    await jobs_in(app, "chat", 50)
    await a_queue_of(app, "bulk")
    await tab.goto("/queues")
    await tab.get_by_role("button", name="Add a pair…").click()
    await tab.get_by_label("From").fill("chat")
    await tab.get_by_label("To", exact=True).fill("bulk")
    await tab.get_by_label("Ratio").fill("3")
    await tab.get_by_role("button", name="Save").click()
    async with app.database.transaction() as conn:
        await conn.execute("select holdfast.sample_depths()")
    await tab.get_by_role("button", name="Rebalance now…").click()
    await tab.get_by_role("button", name="Dry run").click()
    answer = tab.get_by_role("dialog").get_by_role("table")
    await expect(answer).to_contain_text("would_move")
    assert len(await app.jobs(queue="chat")) == 50
    await tab.get_by_role("button", name="Rebalance", exact=True).click()
    await expect(tab.get_by_role("status").filter(has_text="Rebalanced")).to_be_visible()
    moved = len(await app.jobs(queue="bulk"))
    assert moved > 0
    assert len(await app.jobs(queue="chat")) == 50 - moved
