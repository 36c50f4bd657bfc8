"""Renewals of workers without jobs: those of a moment share a statement, which also checks their keys."""

import asyncio
from collections.abc import Sequence

from holdfast.api.workers.claim_permits import Claimant
from holdfast.client.app import Holdfast
from holdfast.db.remote_worker import renew_idle_leases
from holdfast.model.error import HoldfastError
from holdfast.model.worker import Renewal

PACE = 0.25  # seconds between two statements; a lease lasts far longer
MOST = 1000  # of one statement

Answer = asyncio.Future[Renewal | None]


class IdleRenewals:
    """The first one is sent at once; those that come within `PACE` of it go together."""

    def __init__(self, app: Holdfast) -> None:
        self._app = app
        self._waiting: list[tuple[Claimant, Answer]] = []
        self._sending: asyncio.Task[None] | None = None

    async def renew(self, claimant: Claimant) -> Renewal | None:
        """None: it was not renewed, so check and renew it by itself."""
        mine: Answer = asyncio.get_running_loop().create_future()
        self._waiting.append((claimant, mine))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all(), name="holdfast-idle-renewals")
        return await mine

    async def _send_all(self) -> None:
        try:
            while batch := self._waiting[:MOST]:
                del self._waiting[:MOST]
                await self._send(batch)
                await asyncio.sleep(PACE)
        finally:
            self._sending = None

    async def _send(self, batch: Sequence[tuple[Claimant, Answer]]) -> None:
        found: dict[int, Renewal] = {}
        try:
            found = await renew_idle_leases(self._app.database, [claimant for claimant, _ in batch])
        except HoldfastError:
            pass  # each of them gets the error of its own statements
        finally:
            for place, (_, answer) in enumerate(batch):
                if not answer.done():
                    answer.set_result(found.get(place))
