"""Pipelines: the board with its bottleneck, the flow between stages, ways and versions."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.client.pipeline_figures import Flow, StageEnds, flows
from holdfast.client.report.period import choose_period
from holdfast.dashboard.pipeline.flow_chart import MOST_STAGES, flow_chart
from holdfast.dashboard.pipeline.versions import versions_of
from holdfast.db import pipelines
from holdfast.db.connect import Connection
from holdfast.model.pipeline import StageMove
from holdfast.model.report import NO_ENDS
from holdfast.testing.clock import install_fake_clock
from tests.api.conftest import MakeKey
from tests.builders import complete, settle
from tests.dashboard.conftest import World
from tests.dashboard.hostile import NAME, assert_harmless
from tests.dashboard.reading import seen
from tests.patience import PATIENCE
from tests.stage_builders import a_pipeline, entered_job, walked_job

NO_LONGER_THAN = int(PATIENCE * 1000)


async def some_walks(conn: Connection, name: str = "line") -> None:
    """Of stages a, b and c: two jobs completed, one went back first, one was rejected; all are counted."""
    clock = await install_fake_clock(conn)
    await a_pipeline(conn, name)
    assert await complete(conn, await walked_job(conn, "b", "c", name=name))
    assert await complete(conn, await walked_job(conn, "b", "a", "c", name=name))
    assert await settle(conn, await walked_job(conn, name=name), "reject", {"reason": "not for us"})
    await clock.advance(timedelta(minutes=5))
    await conn.execute("select holdfast.summarise_ends()")


async def test_the_list_shows_stages_and_how_jobs_ended(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await some_walks(conn)
    page = seen((await http.get("/pipelines")).text)
    assert page.title.startswith("1 pipeline flows · Pipelines")
    row = page.row("line", "Stages")
    assert (row["Stages"], row["Completed"], row["Rejected"], row["Dead"]) == ("abc", "66.7 %", "1", "0")
    assert ("line", "/pipelines/line") in page.links


async def test_an_empty_list_says_how_pipelines_come_about(http: AsyncClient) -> None:
    page = (await http.get("/pipelines")).text
    assert "No pipeline is declared" in page
    assert "holdfast worker -A your.module:app" in page


async def test_the_board_shows_flow_and_ways(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await some_walks(conn)
        await entered_job(conn)
    page = seen((await http.get("/pipelines/line")).text)
    assert page.words.count("back, < 0.1/min") == 1, "b sends jobs back to a"
    assert "past b, < 0.1/min" in page.words
    assert "rejected, < 0.1/min" in page.words
    ways = next(table for table in page.tables if table[0][0] == "Way")
    assert ways[0][4] == "Units per job", "a mean, not a sum"
    assert [(row[0], row[1], row[-1]) for row in ways[1:]] == [
        ("a", "rejected", "1"),
        ("a → b → a → c", "completed", "1"),
        ("a → b → c", "completed", "1"),
    ]
    assert ("1", "/jobs?queue=line.a&state=ready") in page.links
    assert "Per minute, last 10 min" in page.words
    assert "is-attention" not in (await http.get("/pipelines/line")).text.split("stage-1")[0].split("<h1>")[1]


@pytest.mark.slow
async def test_the_bottleneck_is_marked_and_named(world: World) -> None:
    tab = await world.browser.new_page(viewport={"width": 1600, "height": 900})
    await tab.goto(f"{world.address}/pipelines/posts")
    (card,) = await tab.locator(".stage-card.choke").all()
    await expect(card.get_by_role("heading")).to_have_text("research")
    await expect(card.get_by_text("Bottleneck")).to_be_visible()
    await expect(tab.get_by_text("research is the bottleneck:")).to_be_visible()
    await expect(tab.get_by_text("Backlog", exact=True)).to_be_visible()
    assert (await tab.title()).startswith("research is the bottleneck")
    await expect(tab.locator(".ribbons .post.choke")).to_have_count(1)
    await expect(tab.locator(".ribbons text.choke")).to_contain_text("ready, ")
    await tab.goto(f"{world.address}/pipelines")
    await expect(tab.locator(".strip .badge").first).to_have_text("Bottleneck")
    await expect(tab.get_by_role("status")).to_contain_text("research holds up posts: ")
    await tab.close()


async def test_versions_say_what_they_changed(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
        await a_pipeline(conn, stages=("a", "d", {"name": "c", "task": "c", "max_visits": 3}))
        found = versions_of(await pipelines.stages_of(conn, "line"))
    assert [(one.number, one.change) for one in found] == [
        (2, "with d; without b; most visits of c 10 → 3"),
        (1, "the first"),
    ]
    old = (await http.get("/pipelines/line?version=1")).text
    assert "version 1, not the newest" in old
    assert ">b</h2>" in old
    assert ">b</h2>" not in (await http.get("/pipelines/line")).text
    for path in ("/pipelines/line?version=3", "/pipelines/line?version=x", "/pipelines/absent"):
        assert (await http.get(path)).status_code == 404, path


def test_hostile_names_in_the_flow_stay_text() -> None:
    drawn = flow_chart([NAME, "b"], [Flow(NAME, "b", 1.0), Flow(NAME, "rejected", 1.0, is_end=True)], NAME)
    assert drawn is not None
    assert_harmless(drawn)


async def test_long_names_leave_the_figures_of_a_stage_in_sight(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn, "P" * 200, ["S" * 190, "T" * 190])
    await tab.goto(f"/pipelines/{'P' * 200}")
    for card in await tab.locator(".stage-card").all():
        assert await card.evaluate("card => card.scrollWidth <= card.clientWidth")


async def test_pipelines_need_a_key_for_all_queues_and_offer_no_action(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
    scoped, viewer = await make_key("operator", queues=["line.a"]), await make_key("viewer")
    for path in ("/pipelines", "/pipelines/line"):
        assert (await keyed_http.get(path, headers=scoped)).status_code == 403, path
        page = await keyed_http.get(path, headers=viewer)
        assert (page.status_code, "data-api" in page.text) == (200, False), path


@pytest.mark.slow
async def test_the_board_follows_its_jobs(tab: Page, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
    await tab.goto("/pipelines/line")
    ready = tab.get_by_role("region", name="a", exact=True).get_by_role("link").first
    await expect(ready).to_have_text("0")
    async with app.database.transaction() as conn:
        for _ in range(3):
            await entered_job(conn)
    await expect(ready).to_have_text("3", timeout=NO_LONGER_THAN)
    await ready.click()
    await expect(tab).to_have_url(re.compile("/jobs.queue=line.a&state=ready"))


async def test_flows_are_counted_exactly_and_split_by_the_newest_moves(app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
        stages = await pipelines.stages_of(conn, "line")
        now = await conn.fetchval("select holdfast.now()")
    ends = {
        ("line", "a"): replace(NO_ENDS, advanced=120, rejected=60),
        ("line", "b"): replace(NO_ENDS, advanced=60),
    }
    moves = [StageMove("a", "b", 3, False), StageMove("a", "c", 1, False), StageMove("a", "gone", 9, False)]
    found = flows(stages, StageEnds(choose_period("1h", now), ends, False), moves)
    assert [(one.stage, one.to, round(one.per_minute, 2)) for one in found] == [
        ("a", "b", 1.5),
        ("a", "c", 0.5),
        ("a", "rejected", 1.0),
        ("b", "c", 1.0),  # no move of it is known: to the stage that follows
    ]
    drawn = flow_chart(["a", "b", "c"], found, None)
    assert drawn is not None
    assert "past b, 0.5/min" in drawn
    assert "45 ready, 1.5/min now" in str(flow_chart(["a", "b", "c"], found, "b", "45 ready, 1.5/min now"))
    assert flow_chart(["a"], [], None) is None
    assert flow_chart([str(one) for one in range(MOST_STAGES + 1)], found, None) is None
