"""Streams of server-sent events: snapshots, each read once for all who watch the same subject."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any, Generic, TypeVar
from uuid import UUID

from starlette.responses import Response

from holdfast.api.limits.waiting import Waiting
from holdfast.api.live.event_stream import EventStream
from holdfast.api.live.permits import Permit, Permits
from holdfast.api.live.shared_reader import Read, SharedReader, Watch, until_rung
from holdfast.api.live.subjects import Snapshot, is_news
from holdfast.api.request.problem import RequestRefused
from holdfast.model.error import NotFound

K = TypeVar("K", bound=Hashable)

PACE = timedelta(milliseconds=500)
LOOK_UP = 1.0  # seconds, for a server that stops
KEEP_ALIVE = 15.0  # seconds; proxies close what is silent for a minute
MOST_SUBJECTS = 200  # of a server
MOST_OF_KEY = 100  # of one access key, so that no caller keeps the others out
RETRY = b"retry: 2000\n\n"  # ms until a browser connects again


class WatchedSubjects:
    """Those of all streams of a server, of the API and of the dashboard: one bound for their reads."""

    def __init__(self) -> None:
        self._readers: list[SharedReader[Any, Snapshot]] = []

    def add(self, reader: SharedReader[Any, Snapshot]) -> None:
        self._readers.append(reader)

    def check_room(self) -> None:
        if sum(reader.watched for reader in self._readers) >= MOST_SUBJECTS:
            raise RequestRefused(
                503,
                "too_many_subjects",
                f"The streams of this server already watch {MOST_SUBJECTS} subjects, which is the limit.",
                "try another replica, or try again later",
            )


class Streams(Generic[K]):
    """Streams of snapshots. Those that watch the same subject share one read of it."""

    def __init__(
        self,
        is_stopping: Callable[[], bool],
        waiting: Waiting,
        permits: Permits,
        subjects: WatchedSubjects,
        read: Read[K, Snapshot],
        event: Callable[[K, int, Snapshot], bytes],
        *,
        pace: timedelta,
        is_news: Callable[[Snapshot, Snapshot], bool] = is_news,
        beat: Callable[[Snapshot], bytes] = lambda _: b"",
        most_of_key: int | None = None,
    ) -> None:
        """`event` writes a snapshot of a subject, with its number, as a server-sent event; `beat` what is
        sent instead of one that is no news, if it differs from what was sent before. `most_of_key`: subjects
        that the streams of one access key may watch.
        """
        self._is_stopping, self._waiting, self._permits = is_stopping, waiting, permits
        self._event, self._beat, self._pace = event, beat, pace.total_seconds()
        self._most_of_key = most_of_key
        self._snapshots = SharedReader(read, pace, is_news=is_news)
        self._subjects = subjects
        self._subjects.add(self._snapshots)
        self._of_keys: defaultdict[UUID, Counter[K]] = defaultdict(Counter)

    async def open(self, key: UUID, allowed: Sequence[tuple[K, Permit]], once: bool = False) -> Response:
        """A stream of these subjects for an access key, which ends when one of the permits is withdrawn."""
        bell, held = asyncio.Event(), ExitStack()
        try:
            held.enter_context(self._waiting.place(key))
            watches = {subject: self._watch(held, key, subject, bell) for subject, _ in allowed}
            permits = [held.enter_context(self._permits.watch(one, bell)) for one in {p for _, p in allowed}]
            for subject, found in watches.items():
                if (await found.first()).text is None:
                    raise NotFound(f"There is no {subject}.")
        except BaseException:
            held.close()
            raise
        return EventStream(self._events(watches, permits, bell, once), held)

    def _watch(self, held: ExitStack, key: UUID, subject: K, bell: asyncio.Event) -> Watch[Snapshot]:
        if not self._snapshots.is_watched(subject):
            self._subjects.check_room()
        held.enter_context(self._place(key, subject))
        return held.enter_context(self._snapshots.watch(subject, bell))

    @contextmanager
    def _place(self, key: UUID, subject: K) -> Iterator[None]:
        """Many streams of a key may watch the same subject: it counts once."""
        mine, most = self._of_keys[key], self._most_of_key or MOST_OF_KEY
        if subject not in mine and len(mine) >= most:
            raise RequestRefused(
                429,
                "too_many_subjects",
                f"The streams of this access key already watch {most} subjects, which is the limit.",
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
        watches: dict[K, Watch[Snapshot]],
        permits: Sequence[Watch[bool]],
        bell: asyncio.Event,
        once: bool,
    ) -> AsyncIterator[bytes]:
        yield RETRY
        sent, beats = monotonic(), dict.fromkeys(watches, b"")
        while all(permit.value is not False for permit in permits):
            for subject, watch in list(watches.items()):
                snapshot, beat = watch.news(), self._beat(watch.latest) if watch.latest else b""
                if snapshot is not None:
                    yield self._event(subject, watch.number, snapshot)
                    sent = monotonic()
                    if snapshot.text is None:
                        del watches[subject]
                elif beat != beats[subject]:
                    yield beat
                    sent = monotonic()
                beats[subject] = beat
            if once or not watches or self._is_stopping():
                return
            if monotonic() - sent >= KEEP_ALIVE:
                yield b": keep-alive\n\n"
                sent = monotonic()
            await asyncio.sleep(max(0.0, min(sent + self._pace - monotonic(), LOOK_UP)))
            await until_rung(bell, LOOK_UP)
