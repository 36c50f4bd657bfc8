"""Live updates as server-sent events: snapshots, each read once for all who watch the same."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from time import monotonic
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.limits.waiting import Waiting
from holdfast.api.live.event_stream import EventStream
from holdfast.api.live.shared_reader import SharedReader, Watch, until_rung
from holdfast.api.live.subjects import Kind, Snapshot, Subject, is_news, read_snapshots, read_subject
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answers
from holdfast.api.request.problem import RequestRefused
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access
from holdfast.model.access_key import AccessAction, SecretHash
from holdfast.model.error import AccessDenied, InvalidOption, NotAuthenticated, NotFound
from holdfast.model.id import JobId

PACE = timedelta(milliseconds=500)
CHECK_EVERY = timedelta(seconds=2)
LOOK_UP = 1.0  # seconds, for a server that stops
KEEP_ALIVE = 15.0  # seconds; proxies close what is silent for a minute
MOST_SUBJECTS = 200
MOST_OF_KEY = 100  # of one access key, so that no caller keeps the others out
MOST_OF_ONE = 10
RETRY = b"retry: 2000\n\n"  # ms until a browser connects again
_EXAMPLE = (
    'id: 1\nevent: run\ndata: {"subject": "run:0198f1a2-…", "number": 1, "snapshot": {"state": "open"}}\n'
)
# Of one event, as tools read a stream.
_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data", "retry")},
}

Names = Annotated[
    list[str] | None,
    Query(description="overview (the default), endpoints, run:ID or job:ID; several share one stream."),
]
Once = Annotated[bool, Query(description="Ends the stream after one snapshot of each.")]


@dataclass(frozen=True, slots=True)
class Permit:
    """What is checked again while a stream is open. `job`: it may be moved out of the key's scope."""

    hashed: SecretHash
    job: JobId | None = None


class Live:
    def __init__(
        self, app: Holdfast, access: Access, is_stopping: Callable[[], bool], waiting: Waiting
    ) -> None:
        self._app, self._access, self._is_stopping, self._waiting = app, access, is_stopping, waiting
        self._snapshots = SharedReader(self._read, PACE, is_news=is_news)
        self._permits = SharedReader(self._check, CHECK_EVERY)
        self._of_keys: defaultdict[UUID, Counter[Subject]] = defaultdict(Counter)

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1", dependencies=KEYED)
        said = answers(_EXAMPLE, 401, 403, 404, 422, 429, 503, media_type=EventStream.media_type)
        said[200]["content"][EventStream.media_type]["schema"] = _EVENT
        found.get("/live", status_code=200, responses=said, response_class=EventStream)(self.live)
        return found

    async def live(self, request: Request, watch: Names = None, once: Once = False) -> Response:
        """Snapshots as server-sent events: at once, then whenever something changed, at most two a second.

        A client that is slow gets the newest snapshot, not those in between; one that connects again gets a
        fresh one. The stream ends when the access key is revoked or expires, and when the server stops.
        """
        allowed = [await self._allowed(request, name) for name in _names(watch or [Kind.OVERVIEW])]
        bell, held = asyncio.Event(), ExitStack()
        try:
            key: UUID = request.state.caller.key
            held.enter_context(self._waiting.place(key))
            watches = {subject: self._watch(held, key, subject, bell) for subject, _ in allowed}
            permits = [held.enter_context(self._permits.watch(one, bell)) for one in {p for _, p in allowed}]
            for subject, found in watches.items():
                if (await found.first()).text is None:
                    raise NotFound(f"There is no {subject.kind} {subject.id}.")
        except BaseException:
            held.close()
            raise
        return EventStream(self._events(watches, permits, bell, once), held)

    async def _allowed(self, request: Request, name: str) -> tuple[Subject, Permit]:
        """The key's scope is checked by the database; it limits an overview to its queues."""
        subject, hashed = read_subject(name), self._access.secret_of(request)
        if subject.kind is Kind.JOB and subject.id is not None:
            caller = await self._access.check(request, AccessAction.READ_JOB, jobs=[subject.id])
            if caller.scope is not None:
                return replace(subject, is_limited=True), Permit(hashed, JobId(subject.id))
        elif subject.kind is Kind.RUN and subject.id is not None:
            await self._access.check(request, AccessAction.READ_JOB, runs=[subject.id])
        elif subject.kind is Kind.ENDPOINTS:
            await self._access.check(request, AccessAction.READ_INSTALLATION)
        else:
            # It lists no task, so that a key for some tasks is refused: queues are not counted by task.
            caller = await self._access.check(request, AccessAction.LIST_JOBS, queues=[])
            queues = None if caller.queues is None else tuple(sorted(caller.queues))
            subject = Subject(Kind.OVERVIEW, queues=queues)
        return subject, Permit(hashed)

    def _watch(self, held: ExitStack, key: UUID, subject: Subject, bell: asyncio.Event) -> Watch[Snapshot]:
        if not self._snapshots.is_watched(subject) and self._snapshots.watched >= MOST_SUBJECTS:
            raise RequestRefused(
                503,
                "too_many_subjects",
                f"Streams of this server watch {MOST_SUBJECTS} subjects, as many as they may.",
                "try another replica, or again later",
            )
        held.enter_context(self._place(key, subject))
        return held.enter_context(self._snapshots.watch(subject, bell))

    @contextmanager
    def _place(self, key: UUID, subject: Subject) -> Iterator[None]:
        """Many streams of a key may watch the same subject: it counts once."""
        mine = self._of_keys[key]
        if subject not in mine and len(mine) >= MOST_OF_KEY:
            raise RequestRefused(
                429,
                "too_many_subjects",
                f"Streams of this access key watch {MOST_OF_KEY} subjects, as many as they may.",
                "close some of its streams",
            )
        mine[subject] += 1
        try:
            yield
        finally:
            mine[subject] -= 1
            if not mine[subject]:
                del mine[subject]
            if not mine:
                self._of_keys.pop(key, None)

    async def _events(
        self,
        watches: dict[Subject, Watch[Snapshot]],
        permits: Sequence[Watch[bool]],
        bell: asyncio.Event,
        once: bool,
    ) -> AsyncIterator[bytes]:
        yield RETRY
        sent = monotonic()
        while all(permit.value is not False for permit in permits):
            for subject, watch in list(watches.items()):
                snapshot = watch.news()
                if snapshot is not None:
                    yield _event(subject, watch.number, snapshot)
                    sent = monotonic()
                    if snapshot.text is None:
                        del watches[subject]
            if once or not watches or self._is_stopping():
                return
            if monotonic() - sent >= KEEP_ALIVE:
                yield b": keep-alive\n\n"
                sent = monotonic()
            await asyncio.sleep(max(0.0, sent + PACE.total_seconds() - monotonic()))
            await until_rung(bell, LOOK_UP)

    def _read(self, subjects: Sequence[Subject]) -> AsyncIterator[tuple[Subject, Snapshot]]:
        return read_snapshots(self._app.database, subjects)

    async def _check(self, permits: Sequence[Permit]) -> AsyncIterator[tuple[Permit, bool]]:
        for permit in permits:
            yield permit, await self._is_valid(permit)

    async def _is_valid(self, permit: Permit) -> bool:
        jobs = None if permit.job is None else [permit.job]
        try:
            await check_access(self._app.database, permit.hashed, AccessAction.READ_JOB, jobs=jobs)
        except (NotAuthenticated, AccessDenied, NotFound):
            return False
        return True


def _names(watch: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(watch))
    if not 1 <= len(names) <= MOST_OF_ONE:
        raise InvalidOption(
            f"A stream watches 1 to {MOST_OF_ONE} subjects (got {len(names)}).", "open several streams"
        )
    return names


def _event(subject: Subject, number: int, snapshot: Snapshot) -> bytes:
    """`gone`: the subject was deleted; nothing more is sent about it."""
    kind = "gone" if snapshot.text is None else subject.kind
    data = f'{{"subject": "{subject}", "number": {number}, "snapshot": {snapshot.text or "null"}}}'
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode("utf-8", "replace")
