"""The report as a page: what a file says with commands are links here."""

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.testing import install_fake_clock
from tests.builders import a_queue, a_worker, claim_one, complete, ready_job, ready_jobs
from tests.dashboard.reading import main_of, seen


async def test_problems_and_jobs_are_links_to_pages(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await ready_job(conn, queue="mail")
        await complete(conn, await claim_one(conn, await a_worker(conn, ["mail"])))
        await a_queue(conn, "alerts/now")
        await ready_jobs(conn, 3, queue="alerts/now")
        await (await install_fake_clock(conn)).advance("2m")  # a worker may come within a minute
    page = main_of((await http.get("/reports?since=1h")).text)
    found = seen(page)
    assert ("No live worker takes alerts/now", "/queues/alerts%2Fnow") in found.links
    assert f"/jobs/{job}" in set(found.addresses())
    assert "holdfast queues show" not in found.words
    jumps = [address for address in found.addresses() if address.startswith("#")]
    assert jumps
    for address in jumps:
        assert f'id="{address[1:]}"' in page, address
