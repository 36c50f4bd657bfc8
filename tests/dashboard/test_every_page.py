"""Every page, in both themes and at three widths: whole, accessible, and silent towards other hosts."""

from typing import Literal

import pytest
from playwright.async_api import ConsoleMessage, Page, Request

from holdfast.dashboard.dashboard import PAGES
from tests.dashboard.axe import violations
from tests.dashboard.clipping import clipped
from tests.dashboard.conftest import World
from tests.dashboard.samples import SAMPLES

Look = tuple[Literal["light", "dark"], int]
# Each theme and the narrowest and the widest page; the others take their time.
FIRST: tuple[Look, ...] = (("light", 390), ("dark", 1600))
OTHERS: tuple[Look, ...] = (("light", 1024), ("light", 1600), ("dark", 390), ("dark", 1024))
PATHS = sorted({page.path for page in PAGES})
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_every_page_has_a_sample() -> None:
    assert SAMPLES.keys() == {page.path for page in PAGES}


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_accessible_and_loads_nothing_from_elsewhere(path: str, world: World) -> None:
    await look_at(path, world, FIRST)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_accessible_in_the_other_themes_and_widths(path: str, world: World) -> None:
    await look_at(path, world, OTHERS)


async def look_at(path: str, world: World, looks: tuple[Look, ...]) -> None:
    tab = await world.browser.new_page()
    found = _Listener(tab, world.address)
    answered = await tab.goto(world.address + await SAMPLES[path](world.app))
    assert answered is not None
    assert answered.status == 200, await answered.text()
    for theme, width in looks:
        await tab.set_viewport_size({"width": width, "height": 900})
        await tab.emulate_media(color_scheme=theme)
        assert await violations(tab) == [], f"{theme}, {width} px"
        assert await tab.evaluate(OVERFLOW) <= 0, f"{theme}, {width} px: the page is wider than the screen"
        assert await clipped(tab) == [], f"{theme}, {width} px"
    assert found.elsewhere == []
    assert found.complaints == []
    await tab.close()


class _Listener:
    """What a page asks of other hosts, and what the browser refuses or fails at."""

    def __init__(self, tab: Page, address: str) -> None:
        self._address = address
        self.elsewhere: list[str] = []
        self.complaints: list[str] = []
        tab.on("request", self._note_request)
        tab.on("console", self._note_console)
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note_request(self, request: Request) -> None:
        if not request.url.startswith((self._address, "data:")):
            self.elsewhere.append(request.url)

    def _note_console(self, message: ConsoleMessage) -> None:
        """Reports of the content security policy are errors on the console."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)
