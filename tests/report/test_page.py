"""The page: whole, safe and readable, whatever the names and however many."""

import re
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from holdfast.client.report.read_report import read_report
from holdfast.db.connect import Connection, Database
from holdfast.report.page import html_page
from tests.builders import a_queue, a_worker, claim_one, completed_job, dead_job, fail, ready_job, running_job
from tests.report.busy_day import busy_day
from tests.report.page_check import PageCheck, check
from tests.sql.endpoints.scene import a_caller, calls, claimed
from tests.stage_builders import a_pipeline

HOSTILE = "<script>alert('x')</script>\"\n</svg>\u202e{{7*7}}"
LONG = "n" * 200


@pytest.fixture
async def own(database_url: str) -> Connection:
    return await asyncpg.connect(database_url)


async def page_of(own: Connection, db: Database, since: str = "1h") -> tuple[str, PageCheck]:
    await own.execute("select holdfast.summarise_ends()")
    await own.close()
    page = html_page(await read_report(db, since))
    return page, check(page)


async def test_an_empty_database_makes_a_page_that_says_so(own: Connection, db: Database) -> None:
    page, found = await page_of(own, db)
    assert "No problems in the last 60 min" in found.words
    assert "There is no queue yet." in found.words
    assert "No worker is running." in found.words
    assert found.charts == 2
    assert "<title>No problems" in page


async def test_a_count_that_was_cut_off_names_the_newest_sample(own: Connection, db: Database) -> None:
    await own.execute("select holdfast.enqueue_jobs(array['t'], array_fill('{}'::json, array[10500]))")
    await own.execute("select holdfast.sample_depths()")
    page, found = await page_of(own, db)
    assert "10,000+" in found.words
    assert 'title="10,500 on ' in page


async def test_a_single_queue_makes_a_page(own: Connection, db: Database) -> None:
    for _ in range(3):
        await completed_job(own, queue="mail", task="send")
    _, found = await page_of(own, db)
    assert "mail" in found.words
    assert "send" in found.words
    assert "in all, those with the most jobs first" not in found.words


@pytest.mark.slow
async def test_a_busy_day_fills_every_part(own: Connection, db: Database) -> None:
    await busy_day(own, hours=0.5, rate=6, tick=timedelta(seconds=20))
    page, found = await page_of(own, db)
    for words in (
        "The bottleneck is",
        "ollama-12b",
        "ReadTimeout",
        "qwen3:14b",
        "ams-1",
        "Went well at once",
        "With an error",
        "p50 and p95 are rounded up, by up to a quarter.",
    ):
        assert words in found.words
    assert found.charts >= 4
    assert page.count("Show as table") >= 4, "each chart over time has its table"
    assert len(page) < 500_000


@pytest.mark.parametrize("name", [HOSTILE, LONG], ids=["hostile", "long"])
async def test_no_name_leaves_its_place(own: Connection, db: Database, name: str) -> None:
    await a_queue(own, name)
    await a_pipeline(own, name, [{"name": name, "task": name}])
    worker = await a_worker(own, [name], host=name, version=name, group=name)
    await running_job(own, worker, queue=name, task=name)
    await completed_job(own, queue=name, task=name)
    await dead_job(own, name, queue=name, task=name)
    job = await running_job(own, queue=f"{name[:190]} 2", task=name)
    await fail(own, job, type=name, message=name, place=name)
    await own.execute("select holdfast.declare_endpoint($1)", name)
    await calls(own, 1, endpoint=name, queue=f"{name[:190]} 3")
    await claimed(own, await a_caller(own, f"{name[:190]} 3"))
    await ready_job(own, queue=name, task=name)
    page, found = await page_of(own, db)
    assert "<script" not in page
    assert "\u202e" not in page
    visible = name.replace("\n", "\\n").replace("\u202e", "\\u202e")
    assert found.words.count(visible) > 5
    assert found.charts >= 3


async def test_of_five_hundred_queues_twenty_are_shown_and_the_rest_counted(
    own: Connection, db: Database
) -> None:
    await own.execute(
        "select holdfast.enqueue('t', '{}', format('queue %s', lpad(i::text, 4, '0')))"
        " from generate_series(1, 500) as i"
    )
    worker = await a_worker(own, ["queue 0250"])
    for _ in range(4):
        await ready_job(own, queue="queue 0250")
    await claim_one(own, worker)
    page, found = await page_of(own, db)
    assert "… and 480 more queues:" in found.words
    assert "500 in all" in found.words
    assert "queue 0250" in found.words, "the one with the most jobs"
    assert len(re.findall("queue 0[0-9]{3}<", page)) < 60


async def test_the_page_asks_for_nothing_and_allows_nothing(own: Connection, db: Database) -> None:
    page, _ = await page_of(own, db)
    assert "default-src &#x27;none&#x27;" in page
    assert "light-dark(" in page, "both themes"
    assert "@media print" in page


async def test_all_times_of_a_file_are_in_utc_and_it_says_so(own: Connection, db: Database) -> None:
    await completed_job(own, queue="mail")
    page, found = await page_of(own, db)
    assert "All times are in UTC" in found.words
    assert "per 60 s, UTC" in found.words
    marks = re.findall(r'data-at="([^"]+)" data-clock="tick">([^<]+)<', page)
    assert len(marks) >= 6
    for at, words in marks:
        moment = datetime.fromisoformat(at).astimezone(UTC)
        assert words in (f"{moment:%H:%M}", f"{moment.day} {moment:%b}")
