"""Live pages: what a page shows, rendered once for all browsers that have it open."""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.app import Served
from holdfast.api.live.permits import Permit
from holdfast.api.live.streams import Streams
from holdfast.api.live.subjects import Snapshot
from holdfast.dashboard.page import Page, View
from holdfast.dashboard.render import Renderer
from holdfast.db import clock
from holdfast.model.access_key import Caller
from holdfast.model.error import InvalidOption, NotFound
from holdfast.model.masking import Masking

PACE = timedelta(seconds=2)
LONGEST_ADDRESS = 4000
AGES_EVERY = 10.0  # seconds
_AGE = re.compile(r"(?<=>)[^<>]*(?=</time>)")

# The page of a path, with the parts of the path by name.
Match = Callable[[str], tuple[Page, Mapping[str, str]] | None]


@dataclass(frozen=True, slots=True)
class Watched:
    """A page as callers with the same rights see it; `caller` is one of them."""

    page: Page
    path: tuple[tuple[str, str], ...]
    query: tuple[tuple[str, str], ...]
    root: str
    rights: tuple[str, str | None, str | None]
    caller: Caller = field(compare=False)

    def __str__(self) -> str:
        return f"page {self.page.path}"


@dataclass(frozen=True, slots=True)
class Rendered:
    """`at`: the time of the data."""

    title: str
    at: str
    html: str

    @property
    def shown(self) -> tuple[str, str]:
        return self.title, self.html

    @property
    def without_ages(self) -> tuple[str, str]:
        return self.title, _AGE.sub("", self.html)


class LivePages:
    def __init__(self, served: Served, renderer: Renderer, match: Match, masking: Masking) -> None:
        self._served, self._renderer, self._match, self._masking = served, renderer, match, masking
        self._streams = Streams(
            served.is_stopping,
            served.waiting,
            served.permits,
            self._read,
            _event,
            pace=PACE,
            is_news=_is_news,
            beat=_beat,
        )

    async def stream(self, request: Request) -> Response:
        """`page` in the query is the path and the query of a page, below the root path."""
        address = request.query_params.get("page", "")
        path, _, query = address.partition("?")
        matched = self._match(unquote(path)) if len(address) <= LONGEST_ADDRESS else None
        if matched is None or not matched[0].is_live:
            raise InvalidOption("page must be the path of a live page.", "reload the page")
        page, parts = matched
        caller = await page.allow(self._served.access, request, parts)
        watched = Watched(
            page,
            tuple(sorted(parts.items())),
            tuple(_pairs(query)),
            request.scope.get("root_path", ""),
            (caller.role, caller.scope, caller.name if caller.scope else None),
            caller,
        )
        permit = Permit(self._served.access.secret_of(request))
        return await self._streams.open(caller.key, [(watched, permit)])

    async def _read(self, pages: Sequence[Watched]) -> AsyncIterator[tuple[Watched, Snapshot]]:
        for watched in pages:
            yield watched, await self._snapshot(watched)

    async def _snapshot(self, watched: Watched) -> Snapshot:
        """Without a text if what the page shows is no more."""
        app = self._served.app
        now = await clock.now(app.database)
        view = View(app, watched.caller, dict(watched.path), watched.query, now, self._masking)
        try:
            shown = await watched.page.read(view)
        except NotFound:
            return Snapshot(None)
        html = self._renderer.content(watched.page, view, shown, watched.root)
        at = view.now.isoformat(timespec="seconds")
        found = Rendered(shown.title, at, html)
        return Snapshot(found, json.dumps(asdict(found)))


def _is_news(old: Snapshot, new: Snapshot) -> bool:
    """Ages of what is shown are news only every ten seconds: they change with every look."""
    if old.value is None or new.value is None:
        return old.value is not new.value
    if new.read_at - old.read_at >= AGES_EVERY:
        return bool(old.value.shown != new.value.shown)
    return bool(old.value.without_ages != new.value.without_ages)


def _beat(snapshot: Snapshot) -> bytes:
    """Moves the clock of a page on which nothing has changed."""
    return b"" if snapshot.value is None else f'event: at\ndata: {{"at": "{snapshot.value.at}"}}\n\n'.encode()


def _event(watched: Watched, number: int, snapshot: Snapshot) -> bytes:
    kind = "gone" if snapshot.text is None else "page"
    return f"id: {number}\nevent: {kind}\ndata: {snapshot.text or 'null'}\n\n".encode()


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True, max_num_fields=100)
