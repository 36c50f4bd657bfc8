"""The list of jobs: its filters and pages, the search box, and what a caller sees of it."""

import html
import re
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.dashboard.pages import jobs as page_of_jobs
from holdfast.db import short_ids
from tests.api.conftest import MakeKey
from tests.builders import (
    an_open_run,
    cancelled_job,
    dead_job,
    ready_job,
    ready_jobs,
    running_job,
    scheduled_job,
    waiting_job,
)
from tests.dashboard.hostile import HOSTILE, assert_harmless
from tests.patience import PATIENCE

# How many pixels of its panels are cut off at the right.
CUT = "() => { const one = document.querySelector('.panel'); return one.scrollWidth - one.clientWidth; }"


async def a_job(app: Holdfast, **options: Any) -> str:
    async with app.database.transaction() as conn:
        return str(await ready_job(conn, **options))


async def some_jobs(app: Holdfast, count: int, **options: Any) -> list[str]:
    async with app.database.transaction() as conn:
        return [str(job) for job in await ready_jobs(conn, count, **options)]


def rows(page: str) -> list[str]:
    """The ids of the jobs that are listed."""
    return re.findall(r'<tr id="job-([0-9a-f-]{36})"', page)


def link(page: str, words: str) -> str:
    found = re.search(rf'<a class="button" href="([^"]*)">{words}', page)
    assert found is not None, page
    return html.unescape(found[1])


async def listed(http: AsyncClient, **query: Any) -> list[str]:
    answered = await http.get(f"/jobs?{urlencode(query, doseq=True)}")
    assert answered.status_code == 200, answered.text
    return rows(answered.text)


# --- filters and pages


async def test_pages_hold_every_job_once_and_lead_back_to_the_newest(
    http: AsyncClient, app: Holdfast
) -> None:
    made = await some_jobs(app, 60, queue="mail")
    await some_jobs(app, 3, queue="other")
    first = (await http.get("/jobs?queue=mail")).text
    assert "The newest 50 jobs that match; there are older ones." in first
    second = (await http.get(link(first, "Older"))).text
    assert rows(first) + rows(second) == sorted(made, reverse=True)
    assert link(second, "Newest") == "/jobs?queue=mail"
    assert "Older" not in second


async def test_each_filter_finds_its_jobs_and_is_a_chip_that_can_be_removed(
    http: AsyncClient, app: Holdfast
) -> None:
    await some_jobs(app, 2, queue="other", task="noise")
    async with app.database.transaction() as conn:
        run = str(await an_open_run(conn))
    options: dict[str, Any] = {
        "queue": "mail", "task": "send", "labels": {"team": "search", "tier": 3}, "priority": 77,
        "unique_key": "order:4711", "origin": "manual", "actor": "ada", "run": run,
        "payload": {"customer": {"id": 4711}},
    }  # fmt: skip
    job = await a_job(app, **options)
    for name, value in {
        "queue": "mail", "task": "send", "label": ["team=search", "tier=3"], "priority": "77",
        "unique_key": "order:4711", "origin": "manual", "actor": "ada", "run": run,
        "payload": "customer.id:4711", "state": "ready", "newer_than": "1h", "older_than": "0s",
    }.items():  # fmt: skip
        page = (await http.get(f"/jobs?{urlencode({name: value}, doseq=True)}")).text
        assert job in rows(page), name
        assert name in ("state", "newer_than", "older_than") or rows(page) == [job], name
        assert name == "state" or 'href="/jobs" aria-label="Remove the filter' in page or len(value) == 2, (
            name
        )
    both = (await http.get("/jobs?label=team%3Dsearch&queue=mail")).text
    assert 'href="/jobs?queue=mail" aria-label="Remove the filter label team=search"' in both


async def test_a_filter_that_cannot_be_read_says_what_is_wrong_and_stays_in_the_form(
    http: AsyncClient, app: Holdfast
) -> None:
    await a_job(app)
    for query, words in (
        ("state=broken", "state must be one of"),
        ("label=team", "A label must be NAME=VALUE"),
        ("payload=customer", "A filter on the payload must be PATH:VALUE"),
        ("payload=a..b:1", "has an empty name"),
        ("payload=user.dbPassword:hunter2", "is hidden"),
        ("newer_than=soon", "duration"),
        ("colour=red", "There is no filter colour."),
        ("run=17", "An id must be a UUID"),
        ("cursor=17", "An id must be a UUID"),
        ("priority=high", "must be a whole number"),
        ("queue=a%00b", ""),
    ):
        page = await http.get(f"/jobs?{query}&task=send")
        assert page.status_code == 200, query
        assert "This cannot be looked for." in page.text, query
        assert html.escape(words) in page.text, query
        assert 'name="task" list="task-names" value="send"' in page.text
        assert rows(page.text) == []


async def test_states_of_a_queue_are_counted_to_ten_thousand_and_a_rare_label_is_looked_for_step_by_step(
    http: AsyncClient, app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    rare = await a_job(app, queue="mail", labels={"rare": True})
    await some_jobs(app, 10_001, queue="mail")
    page = (await http.get("/jobs?queue=mail")).text
    assert re.search(
        r'Ready <span class="count" title="Counted to here; there are more">10,000\+</span>', page
    )
    assert re.search(r'Running <span class="count">0</span>', page)
    assert "Completed</a>" in page, "what is not counted has no number"
    assert 'class="count"' not in (await http.get("/jobs?label=rare%3Dtrue")).text
    monkeypatch.setattr(page_of_jobs, "PATIENCE", PATIENCE)
    assert await listed(http, label="rare=true") == [rare], "a page looks further back by itself"
    monkeypatch.setattr(page_of_jobs, "PATIENCE", 0)
    page = (await http.get("/jobs?label=rare%3Dtrue")).text
    assert "none match yet" in page
    assert rows((await http.get(link(page, "Look at older jobs"))).text) == [rare]


async def test_a_row_says_what_the_job_waits_for_or_failed_with(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="a", message="no such customer")
        await waiting_job(conn, queue="b", order_key="c7")
        await scheduled_job(conn, queue="c", delay=timedelta(hours=2))
        await cancelled_job(conn, queue="d")
        await running_job(conn, queue="e")
    page = (await http.get("/jobs")).text
    assert "<b>ValueError</b> no such customer (a permanent error is not retried)" in page
    assert "Due in 2 h" in page
    assert "Waits for an earlier job with its order key" in page
    assert re.search(r"<td class=\"n opt-2 drop\"><time [^>]*>in 2 h", page)
    assert "1, 1 failed" in re.sub(r"<[^>]+>", "", page)
    assert ">Due or waited</th>" in page
    assert ">Waited</th>" in (await http.get("/jobs?state=dead")).text, "an ended job is not due"


async def test_without_jobs_the_page_shows_the_command_that_makes_one(http: AsyncClient) -> None:
    assert "holdfast enqueue TASK" in (await http.get("/jobs")).text
    assert "Show all jobs" in (await http.get("/jobs?queue=none")).text


# --- the search box


async def test_the_search_box_leads_to_a_job_or_to_a_filter(http: AsyncClient, app: Holdfast) -> None:
    job = await a_job(app, unique_key="order:4711", labels={"team": "search"})
    odd = await a_job(app, unique_key="team=search")
    for text, place in (
        (job, f"/jobs/{job}"),
        (f" {job.upper()} ", f"/jobs/{job}"),
        (job[-12:], f"/jobs/{job}"),
        (f"…{odd[-12:]}", f"/jobs/{odd}"),
        ("order:4711", "/jobs?unique_key=order%3A4711"),
        ("team=search", "/jobs?unique_key=team%3Dsearch"),
        ("team=other", "/jobs?label=team%3Dother"),
        ("payload.customer.id:4711", "/jobs?payload=customer.id%3A4711"),
        ("customer.id:4711", "/jobs?payload=customer.id%3A4711"),
        ("payload.a=b:1", "/jobs?payload=a%3Db%3A1"),
        ("nothing", "/jobs?unique_key=nothing"),
        ("0123456789ab", "/jobs?unique_key=0123456789ab"),
        ("  ", "/jobs"),
    ):
        answered = await http.get("/jobs", params={"q": text})
        assert (answered.status_code, answered.headers["location"]) == (303, place), text
    assert "The search box finds a job by its id" in (await http.get("/jobs?unique_key=nothing")).text


async def test_the_end_of_an_id_is_looked_for_briefly(
    http: AsyncClient, app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A locked table stands for one that is too large."""
    monkeypatch.setattr(short_ids, "BRIEFLY", "set local statement_timeout = '50ms'")
    async with app.database.transaction() as conn:
        await conn.execute("lock table holdfast.jobs")
        page = await http.get("/jobs?q=0123456789ab")
    assert page.status_code == 200
    assert "There are too many jobs to find one by the end of its id. Search for the whole id." in page.text


# --- hostile text


async def test_hostile_labels_keys_and_tasks_stay_text_and_can_be_filtered_by(
    http: AsyncClient, app: Holdfast
) -> None:
    text, short = HOSTILE[:1000], HOSTILE[:90]
    job = await a_job(
        app, queue=short, task=short, unique_key=text[:500], labels={"hostile": text}, payload={short: 1}
    )
    for query in (
        {}, {"queue": short}, {"task": short}, {"unique_key": text[:500]}, {"label": f"hostile={text}"},
        {"state": "ready", "queue": short},
    ):  # fmt: skip
        page = (await http.get(f"/jobs?{urlencode(query)}")).text
        assert rows(page) == [job], query
        assert_harmless(page)
    searched = await http.get("/jobs", params={"q": text[:500]})
    assert dict(parse_qsl(searched.headers["location"].partition("?")[2])) == {"unique_key": text[:500]}
    assert_harmless((await http.get("/jobs", params={"payload": f"{short[:20]}:{text}"})).text)


# --- what a caller sees


async def test_a_viewer_sees_no_checkbox_and_no_action(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    job = await a_job(app, queue="mail")
    page = (await keyed_http.get("/jobs?queue=mail", headers=await make_key("viewer"))).text
    assert rows(page) == [job]
    for part in ("data-api", "data-bulk", "data-select-all", "Act on 1 job…", f'value="{job}"'):
        assert part not in page
    page = (await keyed_http.get("/jobs?queue=mail", headers=await make_key("operator"))).text
    for part in ("data-api", "data-bulk", "data-select-all", "Act on 1 job…", f'value="{job}"'):
        assert part in page
    for role in ("producer", "worker"):
        assert (await keyed_http.get("/jobs", headers=await make_key(role))).status_code == 403


async def test_a_key_for_some_queues_lists_one_of_them_at_a_time(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    mail, news = (
        await a_job(app, queue="mail"),
        await a_job(app, queue="news", unique_key="a:b", labels={"team": "search"}),
    )
    secret = await a_job(app, queue="secret", unique_key="s:t")
    key = await make_key("operator", queues=["mail", "news"])
    first = (await keyed_http.get("/jobs", headers=key)).text
    assert rows(first) == [mail]
    assert '<a href="/jobs?queue=news">news</a>' in first
    assert "secret" not in first
    assert rows((await keyed_http.get("/jobs?queue=news&state=ready", headers=key)).text) == [news]
    for query in ("queue=secret", "actor=ada"):
        assert (await keyed_http.get(f"/jobs?{query}", headers=key)).status_code == 403
    found = {
        text: (await keyed_http.get("/jobs", params={"q": text}, headers=key)).headers["location"]
        for text in ("a:b", "s:t", "team=search", secret[-12:], news[-12:])
    }
    assert found == {
        "a:b": "/jobs?unique_key=a%3Ab&queue=news",
        "s:t": "/jobs?payload=s%3At",
        "team=search": "/jobs?label=team%3Dsearch&queue=news",
        secret[-12:]: f"/jobs?unique_key={secret[-12:]}",
        news[-12:]: f"/jobs/{news}",
    }


async def test_a_key_for_some_tasks_lists_one_of_them_and_no_counts(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    sent = await a_job(app, queue="mail", task="send")
    await a_job(app, queue="mail", task="unseen")
    page = (await keyed_http.get("/jobs?queue=mail", headers=await make_key("viewer", tasks=["send"]))).text
    assert rows(page) == [sent]
    assert 'class="count"' not in page, "queues are not counted by task"
    assert "unseen" not in page


async def test_hostile_text_leaves_every_column_on_the_screen(tab: Page, app: Holdfast) -> None:
    long = HOSTILE[:120]
    async with app.database.transaction() as conn:
        await dead_job(conn, queue=long, task=long, labels={"a": HOSTILE[:3000], "b": "x"}, message=HOSTILE)
    for width in (390, 1024, 1180, 1300, 1600):
        await tab.set_viewport_size({"width": width, "height": 900})
        await tab.goto("/jobs?" + urlencode({"queue": long, "label": f"a={HOSTILE[:3000]}"}))
        await expect(tab.locator("tbody tr")).to_have_count(1)
        assert await tab.evaluate(CUT) == 0, width
        await tab.get_by_text("Filter", exact=True).click()
        await tab.get_by_label("Task", exact=True).fill(HOSTILE)
        assert await tab.evaluate(CUT) == 0, width
