"""How tests look at a page: in both themes, at three widths, with its dialogs, and what the browser says."""

import re
from collections.abc import AsyncIterator
from typing import Literal

from playwright.async_api import ConsoleMessage, Locator, Page, Request

Theme = Literal["light", "dark"]
Look = tuple[Theme, int]
THEMES: tuple[Theme, ...] = ("light", "dark")
# Each theme and the narrowest and the widest page; the others take their time.
FIRST: tuple[Look, ...] = (("light", 390), ("dark", 1600))
OTHERS: tuple[Look, ...] = (("light", 1024), ("light", 1600), ("dark", 390), ("dark", 1024))
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN = """(id) => {
  const opener = [...document.querySelectorAll("[data-open]")].find((one) => one.dataset.open === id);
  if (opener) opener.click();
  else document.getElementById(id).showModal();
}"""
CUT = """(dialog) => {
  const edge = dialog.getBoundingClientRect();
  const isOut = (one) => one.getBoundingClientRect().right > Math.min(edge.right, innerWidth) + 1;
  return [dialog, ...dialog.querySelectorAll("*")].filter(isOut).map((one) => one.outerHTML.slice(0, 100));
}"""


async def look(tab: Page, theme: Theme, width: int) -> None:
    await tab.set_viewport_size({"width": width, "height": 900})
    await tab.emulate_media(color_scheme=theme)


async def overflow(tab: Page) -> int:
    """By how many pixels the page is wider than the screen."""
    found: int = await tab.evaluate(OVERFLOW)
    return found


async def each_dialog(tab: Page) -> AsyncIterator[Locator]:
    """Open, and closed again after a step of the loop. Of the dialogs of many access keys only one's."""
    ids: list[str] = await tab.locator("dialog").evaluate_all("(all) => all.map((one) => one.id)")
    for one in {re.sub("[0-9a-f-]{36}$", "", one): one for one in ids}.values():
        await tab.evaluate(OPEN, one)
        dialog = tab.locator(f'dialog[open][id="{one}"]')
        await dialog.wait_for()
        yield dialog
        await tab.keyboard.press("Escape")
        await dialog.wait_for(state="detached")


async def cut(dialog: Locator) -> list[str]:
    """What stands beside the dialog or the screen."""
    found: list[str] = await dialog.evaluate(CUT)
    return found


class Listener:
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
