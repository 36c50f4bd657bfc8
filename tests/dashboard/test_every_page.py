"""Every page, in both themes and at three widths: whole, accessible, and silent towards other hosts."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import PAGES, add_dashboard
from tests.api.serving import served
from tests.dashboard.axe import violations
from tests.dashboard.clipping import clipped
from tests.dashboard.conftest import World
from tests.dashboard.looks import FIRST, OTHERS, THEMES, Listener, Look, cut, each_dialog, look, overflow
from tests.dashboard.samples import MORE_SAMPLES, SAMPLES
from tests.database import fresh_database

PATHS = sorted({page.path for page in PAGES})
LISTS = [path for path in PATHS if "{" not in path and not path.startswith("/dev")]
# Of a server without jobs, to a caller with the key of a viewer.
ALONE = {
    "/": 200,
    "/keys": 403,
    "/login": 200,
    "/login?link=hfl_x": 200,
    "/queues/unknown": 404,
    "/no-such-page": 404,
}


def test_every_page_has_a_sample() -> None:
    assert SAMPLES.keys() == {page.path for page in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PATHS, *MORE_SAMPLES])
async def test_a_page_and_its_dialogs_are_accessible_and_load_nothing_from_elsewhere(
    name: str, world: World
) -> None:
    tab = await world.browser.new_page()
    found = Listener(tab, world.address)
    await _open(tab, world.address + await (SAMPLES | MORE_SAMPLES)[name](world.app), 200)
    await look_at(tab, FIRST)
    await look_at_dialogs(tab)
    assert found.elsewhere == []
    assert found.complaints == []
    await tab.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_accessible_in_the_other_themes_and_widths(path: str, world: World) -> None:
    tab = await world.browser.new_page()
    await _open(tab, world.address + await SAMPLES[path](world.app), 200)
    await look_at(tab, OTHERS)
    await tab.close()


async def _open(tab: Page, address: str, status: int) -> None:
    answered = await tab.goto(address)
    assert answered is not None
    assert answered.status == status, await answered.text()


async def look_at(tab: Page, looks: tuple[Look, ...]) -> None:
    for theme, width in looks:
        await look(tab, theme, width)
        assert await violations(tab) == [], f"{theme}, {width} px"
        assert await overflow(tab) <= 0, f"{theme}, {width} px: the page is wider than the screen"
        assert await clipped(tab) == [], f"{theme}, {width} px"


async def look_at_dialogs(tab: Page) -> None:
    """On the narrowest screen, in one theme after the other."""
    place = 0
    async for dialog in each_dialog(tab):
        theme, place = THEMES[place % 2], place + 1
        await look(tab, theme, 390)
        assert await violations(tab, "dialog[open]") == [], theme
        assert await cut(dialog) == [], theme


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def empty(server_url: str, template: str, browser: Browser) -> AsyncIterator[World]:
    """A server with access keys and without a job."""
    async with fresh_database(server_url, template) as url, Holdfast(url, name="tests") as app:
        api = api_app(app, limits=Limits(failed_log_ins=0), add_pages=add_dashboard)
        async with served(api) as address:
            yield World(app, address, browser)


async def tab_of(empty: World, role: str) -> Page:
    key = await empty.app.keys.create(f"{role}-{uuid4().hex[:6]}", role)
    return await empty.browser.new_page(extra_http_headers={"Authorization": f"Bearer {key.secret}"})


@pytest.mark.slow
async def test_an_empty_server_its_log_in_and_its_refusals_are_accessible(empty: World) -> None:
    tab = await tab_of(empty, "viewer")
    for path, status in ALONE.items():
        await _open(tab, empty.address + path, status)
        await look_at(tab, FIRST + OTHERS)
    await tab.close()


@pytest.mark.slow
async def test_lists_without_rows_are_accessible(empty: World) -> None:
    tab = await tab_of(empty, "admin")
    found = Listener(tab, empty.address)
    for path in LISTS:
        await _open(tab, empty.address + path, 200)
        await look_at(tab, FIRST)
    assert found.complaints == []
    await tab.close()
