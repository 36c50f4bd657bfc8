"""Whether streams may go on: one statement asks for all of a server, about every two seconds."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta

from holdfast.api.live.shared_reader import SharedReader, Watch
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_watchers
from holdfast.model.access_key import SecretHash
from holdfast.model.id import JobId

CHECK_EVERY = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Permit:
    """What is checked again while a stream is open. `job`: it may be moved out of the key's scope."""

    hashed: SecretHash
    job: JobId | None = None


class Permits:
    """Those of all streams of a server, of the API and of the dashboard."""

    def __init__(self, app: Holdfast) -> None:
        self._app = app
        self._reader = SharedReader(self._check, CHECK_EVERY)

    def watch(self, permit: Permit, bell: asyncio.Event) -> AbstractContextManager[Watch[bool]]:
        """Its value is False as soon as the permit is known to be withdrawn."""
        return self._reader.watch(permit, bell)

    async def _check(self, permits: Sequence[Permit]) -> AsyncIterator[tuple[Permit, bool]]:
        watchers = [(one.hashed, one.job) for one in permits]
        valid = await check_watchers(self._app.database, watchers)
        for place, permit in enumerate(permits):
            yield permit, place in valid
