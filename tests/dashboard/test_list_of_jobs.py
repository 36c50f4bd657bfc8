"""The list of jobs does not follow changes: it says of when it is, and when ended jobs ended."""

import re
from datetime import timedelta

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.testing import install_fake_clock
from tests.builders import a_worker, claim_one, fail, ready_job, ready_jobs
from tests.dashboard.reading import seen


async def test_the_list_says_of_when_it_is_and_loads_itself_again(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 2, queue="mail")
    page = seen((await http.get("/jobs?queue=mail")).text)
    assert "As of" in page.words
    assert ("Reload", "/jobs?queue=mail") in page.links


async def test_ended_jobs_have_the_time_of_their_end(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        await ready_job(conn, queue="mail", task="send")
        worker = await a_worker(conn, ["mail"], lease=timedelta(days=1))
        await clock.advance(600)
        await fail(conn, await claim_one(conn, worker), error_class="permanent")
        await clock.advance(60)
    page = (await http.get("/jobs?state=dead")).text
    assert last_column(page) == ["Ended", "60 s"]
    assert re.search(r'</svg>Dead <span class="count">1</span>', page), "the list is whole"
    async with app.database.transaction() as conn:
        await ready_job(conn, queue="mail", task="send")
    assert last_column((await http.get("/jobs")).text) == ["Age", "0 s", "11 min"], "beside jobs that live"


def last_column(page: str) -> list[str]:
    (table,) = seen(page).tables
    return [row[-1].strip() for row in table]
