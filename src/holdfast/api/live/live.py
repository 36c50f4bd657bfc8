"""Live updates as server-sent events: snapshots of the overview, a run, a job or the endpoints."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.limits.waiting import Waiting
from holdfast.api.live import streams
from holdfast.api.live.event_stream import EventStream
from holdfast.api.live.permits import Permit, Permits
from holdfast.api.live.streams import Streams, WatchedSubjects
from holdfast.api.live.subjects import Kind, Snapshot, Subject, read_snapshots, read_subject
from holdfast.api.request.access import KEYED, Access
from holdfast.api.request.answer import answers
from holdfast.api.request.sample import Sample
from holdfast.client.app import Holdfast
from holdfast.model.access_key import AccessAction
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId

MOST_OF_ONE = 10
# Both of one event, as tools read a stream.
_EXAMPLE = {
    "id": "1",
    "event": "run",
    "data": '{"subject": "run:0198f1a2-…", "number": 1, "snapshot": {"state": "open"}}',
}
_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data", "retry")},
}

Names = Annotated[
    list[str] | None,
    Query(description="overview (the default), endpoints, run:ID or job:ID; several share one stream."),
]
Once = Annotated[bool, Query(description="Ends the stream after one snapshot of each.")]


class Live:
    def __init__(
        self,
        app: Holdfast,
        access: Access,
        is_stopping: Callable[[], bool],
        waiting: Waiting,
        permits: Permits,
        subjects: WatchedSubjects,
    ) -> None:
        self._app, self._access = app, access
        self._streams = Streams(
            is_stopping, waiting, permits, subjects, self._read, _event, pace=streams.PACE
        )

    def routes(self) -> APIRouter:
        found = APIRouter(prefix="/api/v1", dependencies=KEYED)
        said = answers(
            Sample(_EXAMPLE, _EVENT), 401, 403, 404, 422, 429, 503, media_type=EventStream.media_type
        )
        found.get("/live", status_code=200, responses=said, response_class=EventStream)(self.live)
        return found

    async def live(self, request: Request, watch: Names = None, once: Once = False) -> Response:
        """Snapshots as server-sent events: at once, then whenever something changed, at most two a second.

        A client that is slow gets the newest snapshot, not those in between; one that connects again gets a
        fresh one. The stream ends when the access key is revoked or expires, and when the server stops.
        """
        allowed = [await self._allowed(request, name) for name in _names(watch or [Kind.OVERVIEW])]
        return await self._streams.open(request.state.caller.key, allowed, once)

    async def _allowed(self, request: Request, name: str) -> tuple[Subject, Permit]:
        """The key's scope is checked by the database; it limits an overview to its queues."""
        subject, hashed = read_subject(name), self._access.secret_of(request)
        if subject.kind is Kind.JOB and subject.id is not None:
            caller = await self._access.check(request, AccessAction.READ_JOB, jobs=[subject.id])
            if caller.scope is not None:
                limited = replace(subject, scope=caller.scope, caller=caller)
                return limited, Permit(hashed, JobId(subject.id))
        elif subject.kind is Kind.RUN and subject.id is not None:
            await self._access.check(request, AccessAction.READ_JOB, runs=[subject.id])
        elif subject.kind is Kind.ENDPOINTS:
            await self._access.check(request, AccessAction.READ_INSTALLATION)
        else:
            # It lists no task, so that a key for some tasks is refused: queues are not counted by task.
            caller = await self._access.check(request, AccessAction.LIST_JOBS, queues=[])
            subject = Subject(Kind.OVERVIEW, queues=_sorted(caller.queues))
        return subject, Permit(hashed)

    def _read(self, subjects: Sequence[Subject]) -> AsyncIterator[tuple[Subject, Snapshot]]:
        return read_snapshots(self._app.database, subjects)


def _sorted(names: list[str] | None) -> tuple[str, ...] | None:
    """The keys of a scope share what is read, in whatever order they name it."""
    return None if names is None else tuple(sorted(names))


def _names(watch: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(watch))
    if not 1 <= len(names) <= MOST_OF_ONE:
        raise InvalidOption(
            f"A stream can watch 1 to {MOST_OF_ONE} subjects (got {len(names)}).",
            "to watch more subjects, open several streams",
        )
    return names


def _event(subject: Subject, number: int, snapshot: Snapshot) -> bytes:
    """`gone`: the subject was deleted, or left the key's scope; nothing more is sent about it."""
    kind = "gone" if snapshot.text is None else subject.kind
    data = f'{{"subject": "{subject}", "number": {number}, "snapshot": {snapshot.text or "null"}}}'
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode("utf-8", "replace")
