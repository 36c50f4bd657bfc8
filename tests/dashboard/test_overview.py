"""The overview: figures that agree with the database, what is wrong, and what a key may see of it."""

import re
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.client.doctor_checks import examine
from holdfast.client.overview import read_overview
from holdfast.dashboard.troubles import is_serious
from holdfast.db.connect import Connection
from tests.builders import a_worker, completed_job, dead_job, ready_jobs, report, running_job
from tests.dashboard.reading import key, main_of, seen
from tests.dashboard.samples import an_action


@pytest_asyncio.fixture(loop_scope="session")
async def conn(database_url: str) -> AsyncIterator[Connection]:
    """Commits at once, as the pages read on connections of their own."""
    opened = await asyncpg.connect(database_url)
    yield opened
    await opened.close()


@pytest.mark.slow
async def test_the_figures_are_those_of_the_database(busy: str, http: AsyncClient, conn: Connection) -> None:
    page = seen((await http.get("/")).text)
    queues = await conn.fetch("select * from holdfast.queue_view")
    assert len(queues) > 8
    for queue in queues:
        row = page.row(queue["name"], "Out/min")
        for state in ("waiting", "scheduled", "ready", "running"):
            assert row[state.capitalize()] == str(queue[state])
    assert page.row("posts.research", "Out/min")["Endpoint"] == "ollama-12b"
    ended = await conn.fetchval("select count(*) from holdfast.history")
    assert f"Ended in 1 h {ended:,}" in page.words
    ready, dead = (
        sum(queue["ready"] for queue in queues),
        await conn.fetchval(
            "select count(*) from holdfast.dead_letters where replayed_at is null and status = 'open'"
        ),
    )
    assert f"Ready {ready:,}" in page.words
    assert f"Dead letters {dead:,}" in page.words
    workers = await conn.fetch("select slots from holdfast.worker_view where state = 'working'")
    assert f"of {sum(one['slots'] for one in workers)} slots on {len(workers)} workers" in page.words
    assert "3 behind their order key" in page.words
    running = await conn.fetchval("select count(*) from holdfast.jobs where state = 'running'")
    assert f"{min(running, 6)} of {running}, longest first" in page.words


@pytest.mark.slow
async def test_the_title_begins_with_the_verdict(busy: str, http: AsyncClient, app: Holdfast) -> None:
    page = seen((await http.get("/")).text)
    serious = [one for one in (await examine(app.database)).findings if is_serious(one)]
    problems = len((await read_overview(app.database)).problems) + len(serious)
    assert page.title == f"Working, with {problems} problems · Overview · Holdfast"
    assert "dead letters of one cause in bill-alerts" in page.words
    assert "KeyError: 'sponsor'." in page.words
    assert "capture-backfill is paused" in page.words
    assert "arrive per minute" in page.words


@pytest.mark.slow
async def test_what_a_figure_counts_is_a_link_away(busy: str, http: AsyncClient) -> None:
    page = seen((await http.get("/")).text)
    addresses = set(page.addresses())
    assert {"/jobs?state=ready", "/jobs?state=running", "/dead", "/dead?queue=bill-alerts"} <= addresses
    assert "/jobs?queue=posts.research&state=ready" in addresses
    assert "/endpoints/ollama-12b" in addresses


async def test_a_count_that_was_capped_says_so_and_when_it_was_counted(
    http: AsyncClient, conn: Connection
) -> None:
    await ready_jobs(conn, 10_002, queue="crowd")
    await conn.execute("select holdfast.sample_depths()")
    ready = seen((await http.get("/")).text).row("crowd", "Out/min")["Ready"]
    assert ready.startswith("10,000+, 10,002 ")
    assert ready.endswith(" s ago")


async def test_a_queue_with_more_arrivals_than_ends_grows(http: AsyncClient, conn: Connection) -> None:
    await a_worker(conn, ["mail", "slow"])
    await ready_jobs(conn, 30, queue="mail")
    await completed_job(conn, queue="slow")
    await conn.execute("select holdfast.summarise_ends()")
    page = seen((await http.get("/")).text)
    mail = page.row("mail", "Out/min")
    assert (mail["In/min"], mail["Out/min"], mail["Empty in"]) == ("3.0", "0.0", "grows")
    assert page.row("slow", "Out/min")["Empty in"] == "–"


async def test_a_pause_has_its_reason_and_its_beginning(http: AsyncClient, conn: Connection) -> None:
    await ready_jobs(conn, 7, queue="mail")
    await conn.execute("select holdfast.pause_queue('mail', 'the server moves', 'Ada')")
    text = (await http.get("/")).text
    assert 'title="the server moves"' in text
    page = seen(text)
    assert page.row("mail", "Out/min")["Queue"] == "mail Paused by Ada"
    assert "7 in paused queues" in page.words
    assert "mail is paused By Ada: the server moves. 7 jobs ready" in page.words
    assert re.search(r"for \d+ s ", page.words)


async def test_the_rows_of_what_runs_and_ended_are_always_as_many(
    http: AsyncClient, conn: Connection
) -> None:
    await completed_job(conn, queue="mail")
    few = main_of((await http.get("/")).text)
    job = await running_job(conn, queue="mail")
    await report(conn, job, done=3, total=4, failed=1, note="pages", item="index")
    for _ in range(12):
        await completed_job(conn, queue="other")
        await running_job(conn, queue="other", worker=await a_worker(conn, ["other"]))
        await dead_job(conn, queue="third")
    many = main_of((await http.get("/")).text)
    for kind in ("going", "brief", "problems"):
        counts = [
            text.partition(f'<ul class="{kind}">')[2].partition("</ul>")[0].count("<li")
            for text in (few, many)
        ]
        assert counts[0] == counts[1], kind
    assert "3 of 4, 1 failed: pages, index" in many
    assert many.count("No progress reported") == 5


async def test_before_the_first_job_it_says_how_to_begin(http: AsyncClient, conn: Connection) -> None:
    first = seen((await http.get("/")).text)
    assert first.title.startswith("Ready for the first job")
    assert "holdfast worker -A hello:app" in first.words
    assert "Workers none yet" in first.words
    await a_worker(conn, ["greetings"])
    await conn.execute("select holdfast.declare_task('greet', '{}')")
    second = seen((await http.get("/")).text)
    assert "Workers 1" in second.words
    assert "Tasks 1" in second.words
    await ready_jobs(conn, 1, queue="greetings", task="greet")
    assert "Three steps" not in (await http.get("/")).text


@pytest.mark.slow
async def test_a_key_for_some_queues_sees_only_them(
    busy: str, http: AsyncClient, app: Holdfast, conn: Connection
) -> None:
    own = await key(app, "viewer", ["chat-replies"])
    text = main_of((await http.get("/", headers=own)).text)
    page = seen(text)
    assert page.row("chat-replies", "Out/min")
    ended = await conn.fetchval("select count(*) from holdfast.history where queue = 'chat-replies'")
    assert f"Ended in 1 h {ended:,}" in page.words
    for other in ("bill-alerts", "posts.", "ollama", "langgraph", "ams-1", " slots", "octor"):
        assert other not in text, other
    assert await _main(http, "/?since=24h", own)


async def _main(http: AsyncClient, path: str, headers: dict[str, str]) -> str:
    answer = await http.get(path, headers=headers)
    assert answer.status_code == 200
    return main_of(answer.text)


async def test_a_producer_and_a_worker_may_not_look(http: AsyncClient, app: Holdfast) -> None:
    for role in ("producer", "worker"):
        assert (await http.get("/", headers=await key(app, role))).status_code == 403


async def test_a_period_that_does_not_exist_is_the_shortest(http: AsyncClient, conn: Connection) -> None:
    await completed_job(conn, queue="mail")
    for since in ("1h", "6h", "24h", "7d"):
        words = seen((await http.get(f"/?since={since}")).text).words
        assert f"Ended in {since[:-1]} {since[-1]}" in words
    assert "Ended in 1 h" in seen((await http.get("/?since=<script>")).text).words


async def test_the_address_of_the_old_monitor_leads_here(http: AsyncClient) -> None:
    answer = await http.get("/dev/capture-monitor?since=6h&x=%26")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?since=6h&x=%26")


async def test_the_queue_of_own_jobs_is_not_among_the_others(
    http: AsyncClient, app: Holdfast, conn: Connection
) -> None:
    await completed_job(conn, queue="mail")
    await an_action(app)
    assert await conn.fetchval("select exists (select from holdfast.queue_view where name = 'holdfast')")
    text = main_of((await http.get("/")).text)
    assert 'href="/queues/holdfast"' not in text
    assert "holdfast.action" not in text
    assert seen(text).row("mail", "Out/min")


async def test_queues_in_trouble_come_first(http: AsyncClient, conn: Connection) -> None:
    await a_worker(conn, ["alpha"])
    await completed_job(conn, queue="alpha")
    await ready_jobs(conn, 1, queue="zeta")
    text = main_of((await http.get("/")).text)
    table = text[text.index('id="queues"') :]
    assert table.index('href="/queues/zeta"') < table.index('href="/queues/alpha"')
