"""What the overview says is wrong, or well: it agrees with the doctor."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest
import pytest_asyncio
from httpx2 import AsyncClient

from holdfast.client.doctor_checks import Diagnosis, Finding, Level
from holdfast.client.overview import judged
from holdfast.dashboard.pages import overview
from holdfast.dashboard.troubles import troubles
from holdfast.db.connect import Connection, Database
from holdfast.model.depth import DepthSample
from holdfast.model.overview import Overview, OverviewEndpoint, OverviewQueue
from tests.builders import completed_job, ready_jobs
from tests.dashboard.reading import seen


@pytest_asyncio.fixture(loop_scope="session")
async def conn(database_url: str) -> AsyncIterator[Connection]:
    """Commits at once, as the pages read on connections of their own."""
    opened = await asyncpg.connect(database_url)
    yield opened
    await opened.close()


@pytest.mark.slow
async def test_a_fault_that_doctor_finds_leads_to_its_check(http: AsyncClient, conn: Connection) -> None:
    await ready_jobs(conn, 1, queue="mail")
    await conn.execute("alter table holdfast.jobs set (autovacuum_enabled = off)")
    page = seen((await http.get("/")).text)
    (title,) = [text for text, address in page.links if address == "/doctor#autovacuum"]
    assert title == "The table jobs lacks the autovacuum settings that a queue needs"
    assert "Alter table holdfast.jobs set" in page.words


SOUND = [Finding(f"check_{number}", Level.OK, "words", None) for number in range(19)]
A_NOTE = Finding("rescue", Level.NOTE, "Rescue is off for the queue mail.", "holdfast flags unset rescue")
A_RISK = Finding("durability", Level.NOTE, "A crash can lose jobs.", "set fsync to on")


def doctor_finds(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> None:
    """The server of the tests does without fsync, which the real checks find."""

    async def found(database: Database) -> Diagnosis:
        return Diagnosis(True, [*SOUND, *findings])

    monkeypatch.setattr(overview, "examine", found)


async def test_without_a_problem_all_is_well(
    http: AsyncClient, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor_finds(monkeypatch)
    await completed_job(conn, queue="mail")
    page = seen((await http.get("/")).text)
    assert page.title.startswith("All is well · Overview")
    for words in ("No open dead letters", "No queue is late", "No endpoint stops calls", "is sound"):
        assert words in page.words
    assert "All 19 checks pass." in page.words


async def test_a_check_that_needs_a_look_does_not_pass(
    http: AsyncClient, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor_finds(monkeypatch, A_NOTE)
    await completed_job(conn, queue="mail")
    page = seen((await http.get("/")).text)
    assert page.title.startswith("All is well, 1 check needs a look · Overview")
    assert ("19 checks pass, 1 needs a look", "/doctor") in page.links
    assert "is sound" not in page.words


async def test_a_risk_of_data_loss_is_a_problem(
    http: AsyncClient, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor_finds(monkeypatch, A_RISK, A_NOTE)
    await completed_job(conn, queue="mail")
    text = (await http.get("/")).text
    page = seen(text)
    assert page.title.startswith("Working, with 1 problem · Overview")
    assert ("A crash can lose jobs", "/doctor#durability") in page.links
    assert '<header class="is-bad">' in text
    assert "is sound" not in page.words


async def test_jobs_without_a_worker_stand_still(
    http: AsyncClient, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor_finds(monkeypatch)
    await ready_jobs(conn, 3, queue="mail")
    text = (await http.get("/")).text
    assert seen(text).title.startswith("Standing still: no worker is running, 3 jobs ready")
    assert '<header class="is-attention">' in text


NOW = datetime(2030, 1, 31, 9, 0, tzinfo=UTC)


def a_sample(minute: int, age: int) -> DepthSample:
    at = NOW - timedelta(minutes=minute)
    return DepthSample("mail", at, 0, 0, 3, 0, None, timedelta(minutes=age), at, at)


def test_a_late_queue_is_late_since_its_oldest_job_is_and_leads_to_its_cause() -> None:
    queue = OverviewQueue(
        "mail", False, 0, 0, 3, 1, NOW - timedelta(minutes=12), 1.0, 0, [], endpoint="ollama 12b"
    )
    full = OverviewEndpoint("ollama 12b", "closed", None, 2, 2)
    found = judged(Overview(NOW, [queue], [], [], [], [full]))
    for line, minutes in (((), 7), ((a_sample(0, 12),), 7), ((a_sample(40, 6), a_sample(0, 12)), 40)):
        (trouble,) = troubles(found, {"mail": line}, {}, [])
        assert (trouble.since, trouble.path) == (NOW - timedelta(minutes=minutes), "/endpoints/ollama%2012b")
    (trouble,) = troubles(judged(Overview(NOW, [queue], [], [], [])), {}, {}, [])
    assert trouble.path == "/queues/mail"
