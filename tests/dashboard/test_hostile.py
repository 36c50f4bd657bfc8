"""Hostile text in every field: each page shows it as text, and stays whole on a telephone and on a screen."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from httpx2 import ASGITransport, AsyncClient
from playwright.async_api import Browser
from starlette.types import ASGIApp

from holdfast.client.app import Holdfast
from holdfast.dashboard.dashboard import PAGES
from tests.api.serving import served
from tests.dashboard.busy import keyless
from tests.dashboard.clipping import clipped
from tests.dashboard.hostile import assert_harmless
from tests.dashboard.hostile_world import Addresses, make_hostile
from tests.dashboard.looks import Listener, cut, each_dialog, look, overflow
from tests.database import fresh_database

PATHS = sorted({page.path for page in PAGES})
# The names and reasons of these stand in no field of theirs.
SILENT = {"/dev/capture-monitor"}
FOREIGN = "() => [...document.querySelectorAll('img, [onerror], body script')].map((one) => one.outerHTML)"


@dataclass(frozen=True, slots=True)
class HostileWorld:
    api: ASGIApp
    addresses: Addresses


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hostile(server_url: str, template: str) -> AsyncIterator[HostileWorld]:
    async with fresh_database(server_url, template) as url, Holdfast(url, name="tests") as app:
        addresses = await make_hostile(app)
        async with keyless(app) as api:
            yield HostileWorld(api, addresses)


def test_every_page_is_among_them(hostile: HostileWorld) -> None:
    assert sorted(hostile.addresses) == PATHS


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_shows_hostile_text_as_text(path: str, hostile: HostileWorld) -> None:
    transport = ASGITransport(app=hostile.api)
    async with AsyncClient(transport=transport, base_url="http://localhost", follow_redirects=True) as http:
        for address in hostile.addresses[path]:
            answered = await http.get(address)
            assert answered.status_code == 200, answered.text
            assert_harmless(answered.text)
            assert path in SILENT or "&lt;script&gt;" in answered.text, f"{address} shows none"


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
async def test_a_page_with_hostile_text_runs_no_script_and_fits(
    path: str, hostile: HostileWorld, browser: Browser
) -> None:
    async with served(hostile.api) as address:
        tab = await browser.new_page()
        found = Listener(tab, address)
        for each in hostile.addresses[path]:
            await tab.goto(address + each)
            for width in (390, 1024):
                await look(tab, "light", width)
                assert await overflow(tab) <= 0, f"{each}, {width} px"
                assert await clipped(tab) == [], f"{each}, {width} px"
                async for dialog in each_dialog(tab):
                    assert await cut(dialog) == [], f"{each}, {width} px"
            assert await tab.evaluate(FOREIGN) == []
        assert (found.elsewhere, found.complaints) == ([], [])
        await tab.close()
