"""Why the first job of a line has not started, on the page of the job behind it."""

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.builders import a_queue, a_worker, ready_jobs
from tests.dashboard.reading import seen


async def test_the_first_job_in_line_has_its_own_reason(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_queue(conn, "mail", max_concurrent=1)
        _, second = await ready_jobs(conn, 2, queue="mail")
    page = seen((await http.get(f"/jobs/{second}")).text)
    assert page.words.count("No live worker") == 2, "the verdict and the list, and not again for the first"
    assert "could start now" not in page.words
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"], host="ams-3")
    page = seen((await http.get(f"/jobs/{second}")).text)
    assert "It could start now: ams-3 has free slots (1 worker, 10 free slots)." in page.words


async def test_the_only_job_before_a_job_is_a_link_and_a_limit_is_not_ruled_out(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await a_queue(conn, "mail", max_concurrent=1)
        first, second = await ready_jobs(conn, 2, queue="mail")
        await a_worker(conn, ["mail"])
    page = (await http.get(f"/jobs/{second}")).text
    assert f'href="/jobs/{first}">Job {str(first)[-12:]}</a> is ready and first in line' in page
    assert "the queue runs at most 1 job at once, 0 now" in page, "the limit that is full"
    verdict = seen(page.split('role="status">')[1].split("</p>")[0]).words
    assert verdict.endswith(f"Job {str(first)[-12:]} is ready and first in line."), "and no more"
    assert "no limit of its queue or task is reached" not in page
    assert "its queue is not paused" in page
