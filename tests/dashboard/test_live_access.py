"""What live pages show to whom, and that one page does not hold up the others."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from httpx2 import AsyncClient

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.live import permits
from holdfast.client.app import Holdfast
from holdfast.dashboard import live
from holdfast.dashboard.dashboard import add_dashboard
from holdfast.dashboard.job.data import read_data
from holdfast.dashboard.page import Shown, View
from holdfast.dashboard.pages.queues import Queues
from tests.api.conftest import MakeKey
from tests.api.event_client import next_of, streaming
from tests.builders import a_queue, dead_job, ready_job

SOON, LATE = timedelta(milliseconds=10), timedelta(minutes=10)
MOVE = "select holdfast.move_jobs('mail', 'other', 10, reason => 'test', actor => 'Ada')"


def watching(app: Holdfast) -> FastAPI:
    return api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)


async def a_job(app: Holdfast) -> str:
    async with app.database.transaction() as conn:
        await a_queue(conn, "other")
        return str(await ready_job(conn, queue="mail"))


async def move(app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await conn.execute(MOVE)


@pytest.mark.parametrize(("pace", "check_every"), [(SOON, LATE), (LATE, SOON)], ids=["read", "permit"])
async def test_a_job_that_left_the_scope_is_not_shown_any_more(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch, pace: timedelta, check_every: timedelta
) -> None:
    """The read of the page and the check of the permit each end the stream."""
    monkeypatch.setattr(live, "PACE", pace)
    monkeypatch.setattr(permits, "CHECK_EVERY", check_every)
    job, limited = await a_job(app), await make_key("viewer", queues=["mail"])
    async with streaming(watching(app), f"/live?page=%2Fjobs%2F{job}", limited) as client:
        assert "mail" in (await next_of(client))["html"]
        await move(app)
        while (found := await client.event()) is not None:
            assert '"/queues/other"' not in found.get("html", "")


async def test_a_job_that_leaves_the_scope_while_its_page_is_read_is_not_shown(
    app: Holdfast, keyed_http: AsyncClient, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, limited = await a_job(app), await make_key("viewer", queues=["mail"])

    async def read_after_the_move(*args: Any) -> Any:
        await move(app)
        return await read_data(*args)

    monkeypatch.setattr("holdfast.dashboard.pages.job.read_data", read_after_the_move)
    assert (await keyed_http.get(f"/jobs/{job}", headers=limited)).status_code == 404
    assert (await keyed_http.get(f"/jobs/{job}", headers=await make_key("viewer"))).status_code == 200


async def test_a_page_that_cannot_be_read_stops_the_updates_of_no_other(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PACE", SOON)
    monkeypatch.setattr(live, "READ_WITHIN", 0.2)
    real, is_broken = Queues.read, False

    async def read(self: Queues, view: View) -> Shown:
        if is_broken:
            raise RuntimeError("it broke")
        return await real(self, view)

    monkeypatch.setattr(Queues, "read", read)
    api, key = watching(app), await make_key("viewer")
    async with (
        streaming(api, "/live?page=%2Fqueues", key) as broken,
        streaming(api, "/live?page=%2Fdead", key) as well,
    ):
        for client in (broken, well):
            await next_of(client)
        is_broken = True
        for number in ("1", "2"):
            async with app.database.transaction() as conn:
                await dead_job(conn, queue="mail", task="send")
            while f"{number} dead letter" not in (await next_of(well)).get("html", ""):
                pass
        async with streaming(api, "/live?page=%2Fqueues%3Fafter%3Da", key) as new:
            assert (await new.problem())["status"] == 500
        is_broken = False
        await next_of(broken)


async def test_a_key_watches_a_bounded_number_of_pages_whatever_their_query(
    app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_OF_KEY", 1)
    api, key = watching(app), await make_key("viewer")
    async with streaming(api, "/live?page=%2Fdead", key) as first:
        await next_of(first)
        async with streaming(api, "/live?page=%2Fdead%3Fjunk%3D1", key) as second:
            assert (await second.problem())["code"] == "too_many_subjects"
        async with streaming(api, "/live?page=%2Fdead", key) as same:
            await next_of(same)


@pytest.mark.parametrize("page", [f"/?{'&'.join('a' * 101)}", "/dev/capture-monitor", "/jobs/x/y", "["])
async def test_what_is_no_live_page_is_refused(app: Holdfast, make_key: MakeKey, page: str) -> None:
    url = f"/live?page={quote(page, safe='')}"
    async with streaming(watching(app), url, await make_key("viewer")) as client:
        assert (await client.problem())["status"] == 422
