"""Six tabs of one browser that show the chat's page; without a browser six clients of the same routes."""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import httpx2

from holdfast import Timeout

if TYPE_CHECKING:
    from playwright.async_api import Page

ENTITIES = ("emotional-intelligence", "poet", "lawyer", "cook", "historian", "gardener")
AT_ONCE = 20  # as on the page
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
# Root needs the second; the third because a container's /dev/shm is small.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage")
READ = """
() => [...document.querySelectorAll('#messages li')].map((line) => ({
  id: line.dataset.id, entity: line.dataset.entity, text: line.dataset.text,
  replies: [...line.querySelectorAll('q')].map((quote) => quote.textContent)
}))
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A message on the page, and the replies that stand below it."""

    id: str
    entity: str
    text: str
    replies: tuple[Any, ...]


class Tab(Protocol):
    async def type(self, entity: str, text: str) -> None: ...

    async def send_many(self, entity: str, texts: Sequence[str]) -> None: ...

    async def shown(self) -> list[Shown]: ...


@asynccontextmanager
async def six_tabs(url: str) -> AsyncIterator[tuple[str, list[Tab]]]:
    """What they are, in words, and the tabs."""
    program = find_browser()
    if program is None:
        async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as client:
            clients = [FetchClient(client) for _ in ENTITIES]
            watching = [asyncio.create_task(client.watch()) for client in clients]
            yield "no browser: 6 fetch clients took their place", list(clients)
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        return
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            context = await browser.new_context()
            pages = [await context.new_page() for _ in ENTITIES]
            await asyncio.gather(*(page.goto(url) for page in pages))
            yield f"6 tabs of chromium {browser.version}", [BrowserTab(page) for page in pages]
        finally:
            await browser.close()


def find_browser() -> str | None:
    if find_spec("playwright") is None:
        return None
    return next((found for name in CHROMIUM if (found := shutil.which(name))), None)


class BrowserTab:
    def __init__(self, page: "Page") -> None:
        self._page = page

    async def type(self, entity: str, text: str) -> None:
        """As a person does: choose, type, press the button."""
        await self._page.select_option("#entity", entity)
        await self._page.fill("#text", text)
        await self._page.click("button")

    async def send_many(self, entity: str, texts: Sequence[str]) -> None:
        await self._page.evaluate("([entity, texts]) => sendMany(entity, texts)", [entity, list(texts)])

    async def shown(self) -> list[Shown]:
        lines = await self._page.evaluate(READ)
        return [
            Shown(one["id"], one["entity"], one["text"], tuple(json.loads(said) for said in one["replies"]))
            for one in lines
        ]


class FetchClient:
    """What the page's script does, without the page."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http
        self._lines: dict[str, Shown] = {}
        self._waiting: dict[str, str] = {}
        self._room = asyncio.Semaphore(AT_ONCE)

    async def type(self, entity: str, text: str) -> None:
        await self._room.acquire()
        line = Shown(f"{time.time_ns()}-{id(self)}-{len(self._lines)}", entity, text, ())
        self._lines[line.id] = line
        message = {"id": line.id, "text": text, "botParams": {"entity": entity}}
        self._waiting[(await self._http.post("/messages", json=message)).json()["job"]] = line.id

    async def send_many(self, entity: str, texts: Sequence[str]) -> None:
        for text in texts:
            await self.type(entity, text)

    async def watch(self) -> None:
        while True:
            jobs = list(self._waiting)[:50]
            for one in (await self._http.get("/replies", params={"job": jobs})).json() if jobs else ():
                line = self._lines[self._waiting.pop(one["job"])]
                self._room.release()
                said = (*line.replies, one["reply"])
                self._lines[line.id] = Shown(line.id, line.entity, line.text, said)
            await asyncio.sleep(0.1)

    async def shown(self) -> list[Shown]:
        return list(self._lines.values())


async def all_shown(tabs: Sequence[Tab]) -> list[Shown]:
    return [line for tab in tabs for line in await tab.shown()]


async def until_answered(tabs: Sequence[Tab], but: int, within: float) -> list[Shown]:
    """Until at most `but` messages on the pages have no reply."""
    end = time.monotonic() + within
    while True:
        shown = await all_shown(tabs)
        if sum(not line.replies for line in shown) <= but:
            return shown
        if time.monotonic() > end:
            raise Timeout(f"Not all of {len(shown)} messages were answered within {within:.0f} s.")
        await asyncio.sleep(0.1)
