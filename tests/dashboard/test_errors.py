"""Errors: groups of one cause with their figures, for callers of all queues and of some."""

from typing import Any

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey
from tests.builders import dead_job


async def failed_jobs(app: Holdfast, count: int, **more: Any) -> None:
    async with app.database.transaction() as conn:
        for _ in range(count):
            await dead_job(conn, **more)


async def test_attempts_of_one_cause_are_one_line_with_its_jobs(http: AsyncClient, app: Holdfast) -> None:
    await failed_jobs(app, 3, queue="mail", task="send", message="the server is down")
    page = (await http.get("/errors")).text
    assert "3 failed attempts of 1 cause" in page
    assert "the server is down" in page
    assert "1 cause killed 3 jobs" in page
    assert "3 dead" in page
    assert '<span class="faint small break">send, permanent' in page, "the task at any width"
    assert 'data-label="Recovered"' in page
    assert 'href="/dead?group=' in page, "what died can be replayed"
    assert ">new<" not in page, "nothing is known of the period before"
    assert "fingerprint=" in page, "the jobs of a cause can be listed"


async def test_attempts_that_were_put_off_are_named(http: AsyncClient, app: Holdfast) -> None:
    await failed_jobs(app, 2, queue="mail", task="send")
    async with app.database.transaction() as conn:
        await conn.execute(
            "update holdfast.attempts set outcome = 'deferred'"
            " where job_id = (select job_id from holdfast.attempts limit 1)"
        )
    assert (
        "1 of them was only put off, such as by a 429: no retry is used up"
        in (await http.get("/errors")).text
    )


async def test_the_period_is_that_of_the_overview_which_counts_by_the_minute(
    http: AsyncClient, app: Holdfast
) -> None:
    await failed_jobs(app, 2, queue="mail", task="send")
    async with app.database.transaction() as conn:
        await conn.execute(
            "update holdfast.attempts set ended_at = date_trunc('minute', now()) - interval '59 min 1 s'"
            " where job_id = (select job_id from holdfast.attempts limit 1)"
        )
    page = (await http.get("/errors")).text
    assert "1 failed attempt of 1 cause" in page
    assert 'title="Of these jobs, completed later">Recovered</th>' in page


async def test_a_text_is_searched_for(http: AsyncClient, app: Holdfast) -> None:
    await failed_jobs(app, 1, queue="mail", task="send", message="the server is down")
    assert "No attempt failed" in (await http.get("/errors?text=nothing+like+it")).text
    assert "1 failed attempt of 1 cause" in (await http.get("/errors?text=is+down")).text


async def test_without_errors_the_page_says_so(http: AsyncClient) -> None:
    page = (await http.get("/errors?since=24h")).text
    assert "No attempt failed in 24 h." in page
    assert "holdfast errors --since 24h" in page


async def test_a_key_for_one_queue_sees_its_errors_only(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await failed_jobs(app, 1, queue="mail", task="send")
    await failed_jobs(app, 1, queue="secret", task="hidden_task", message="hidden words")
    key = await make_key("viewer", queues=["mail"])
    for address in ("/errors", "/errors?queue=secret"):
        page = (await keyed_http.get(address, headers=key)).text
        assert "hidden_task" not in page, address
        assert "hidden words" not in page, address
