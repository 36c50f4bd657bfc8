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
    assert page.words.count("No live worker") == 1, "what holds up both is said once"
    assert "could start now" not in page.words
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"], host="ams-3")
    page = seen((await http.get(f"/jobs/{second}")).text)
    assert "It could start now: ams-3 has free slots (1 worker, 10 free slots)." in page.words
