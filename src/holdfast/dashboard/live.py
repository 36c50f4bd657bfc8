"""Live pages: what a page shows, rendered once for all browsers that have it open."""

import asyncio
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
from holdfast.api.live.shared_reader import Failed
from holdfast.api.live.streams import Streams
from holdfast.api.live.subjects import Snapshot
from holdfast.dashboard.page import Page, View
from holdfast.dashboard.render import Renderer
from holdfast.db import clock
from holdfast.model.access_key import Caller
from holdfast.model.error import DatabaseUnavailable, InvalidOption, NotFound
from holdfast.model.masking import Masking

PACE = timedelta(seconds=2)
LONGEST_ADDRESS = 4000
MOST_FIELDS = 100
MOST_OF_KEY = 25  # pages that differ, also by a meaningless query: they are read one after the other
READ_WITHIN = 5.0  # seconds
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
        self._one_at_a_time = asyncio.Semaphore(1)
        self._streams = Streams(
            served.is_stopping,
            served.waiting,
            served.permits,
            served.subjects,
            self._read,
            _event,
            pace=PACE,
            is_news=_is_news,
            beat=_beat,
            most_of_key=MOST_OF_KEY,
        )

    async def stream(self, request: Request) -> Response:
        """`page` in the query is the path and the query of a page, below the root path."""
        address = request.query_params.get("page", "")
        path, _, text = address.partition("?")
        matched = self._match(unquote(path)) if len(address) <= LONGEST_ADDRESS else None
        query = _pairs(text)
        if matched is None or query is None or not matched[0].is_live:
            raise InvalidOption("page must be the path of a live page.", "reload the page")
        page, parts = matched
        caller = await page.allow(self._served.access, request, parts)
        watched = Watched(
            page,
            tuple(sorted(parts.items())),
            query,
            request.scope.get("root_path", ""),
            (caller.role, caller.scope, caller.name if caller.scope else None),
            caller,
        )
        job = page.job_of(parts) if caller.scope else None
        permit = Permit(self._served.access.secret_of(request), job)
        return await self._streams.open(caller.key, [(watched, permit)])

    async def _read(self, pages: Sequence[Watched]) -> AsyncIterator[tuple[Watched, Snapshot | Failed]]:
        """A page that cannot be read, or takes too long, does not hold up the updates of the others; without
        a database none can be read.
        """
        for watched in pages:
            try:
                async with asyncio.timeout(READ_WITHIN):
                    found: Snapshot | Failed = await self._snapshot(watched)
            except DatabaseUnavailable:
                raise
            except Exception as exc:
                found = Failed(exc)
            yield watched, found

    async def _snapshot(self, watched: Watched) -> Snapshot:
        """Without a text if what the page shows is no more."""
        app = self._served.app
        now = await clock.now(app.database)
        path, share = dict(watched.path), lambda: self._one_at_a_time
        view = View(app, watched.caller, path, watched.query, now, self._masking, share)
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


def _pairs(query: str) -> tuple[tuple[str, str], ...] | None:
    """None if there are too many."""
    try:
        return tuple(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return None
