"""The guide to workers over HTTP is true: its programs run, and it names every field of a claimed job."""

import asyncio
from typing import Any

from holdfast.api.workers.claims import CLAIMED_JOB
from holdfast.client.app import Holdfast
from tests.docs.page import blocks, run
from tests.docs.test_http_api import served
from tests.repo.tree import ROOT

PAGE = "guides/http-workers.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
PROGRAMS = dict(blocks(PAGE, "python"))


async def run_with_a_key(app: Holdfast, database_url: str, heading: str) -> list[str]:
    key = await app.keys.create(heading, "worker")
    async with served(app) as url:
        done = await asyncio.to_thread(run, PROGRAMS[heading], database_url, API=url, KEY=key.secret)
    return done.stdout.splitlines()


async def test_the_worker_of_the_page_does_its_jobs(database_url: str) -> None:
    async with Holdfast(database_url) as app:
        for title, pages in (("Emma", 2), ("Odd", "none")):
            await app.database.execute(
                "select holdfast.enqueue("
                "  'read_book', json_build_object('title', $1::text, 'pages', $2::json), queue => 'books')",
                title,
                f'"{pages}"' if isinstance(pages, str) else str(pages),
            )
        said = await run_with_a_key(app, database_url, "A worker")
    assert sorted(said) == ["Emma completed", "Odd scheduled"]


async def test_the_requests_of_the_page_run_the_jobs_of_the_app(database_url: str) -> None:
    async with Holdfast(database_url) as app:

        @app.task(queue="sums")
        async def add(a: int, b: int) -> int:
            return a + b

        made: Any = await add.enqueue(a=1, b=2)
        said = await run_with_a_key(app, database_url, "One request, one time box")
        assert said == ["1 processed, 0 left"]
        assert await made.result(timeout="10s") == 3


def test_every_field_of_a_claimed_job_is_on_the_page() -> None:
    assert all(f"`{field}`" in TEXT for field in CLAIMED_JOB)
