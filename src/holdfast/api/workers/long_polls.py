"""Claims that wait for a job: one connection listens and looks for all of them."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from holdfast.api.workers.claim_permits import Claimant, ClaimPermits
from holdfast.client.app import Holdfast
from holdfast.db.listen import READY
from holdfast.db.remote_worker import workers_to_wake
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from holdfast.worker.worker_connection import WorkerConnection, listening_connection

POLL = 1.0  # seconds between two looks, if nothing is notified or found
BUSY = 0.05  # between two looks, however much is notified or found
KEPT_FOR = 10.0  # how long the connection stays open without a waiting claim
MOST_WOKEN = 64  # claims that one look may cause
MOST_KNOWN = 10_000  # workers of which the last claim is remembered
STATEMENT_TIMEOUT = timedelta(seconds=10)


class LongPolls:
    """Holds no connection of the pool. A look is one statement, however many claims wait.

    How many claims it wakes doubles while all of them find jobs, and halves while they do not, so that jobs
    which no worker may start yet cost one claim per look, not one per waiting worker.
    """

    def __init__(self, app: Holdfast, is_stopping: Callable[[], bool]) -> None:
        self._app, self._is_stopping = app, is_stopping
        self._waiting: dict[asyncio.Future[bool], Claimant] = {}
        self._permits = ClaimPermits(app, self._withdraw)
        self._looking: asyncio.Task[None] | None = None
        self._bell = asyncio.Event()
        self._rung_at = 0.0
        self._empty_at: dict[WorkerId, float] = {}
        self._most, self._woken, self._found = 16, 0, 0

    def has_permit(self, claimant: Claimant) -> bool:
        """Whether a claim with this secret waited for the worker a moment ago, and could go on: the next one
        may wait without a check, so that a worker which polls for ever costs no checks.
        """
        return self._permits.holds(claimant)

    def should_wait(self, worker: WorkerId) -> bool:
        """Whether the worker found nothing a moment ago and nothing was notified since: then its claim waits
        before it asks, so that a worker which polls for ever costs no claims.
        """
        is_looking = self._looking is not None and not self._looking.done()
        empty_at = self._empty_at.get(worker, 0.0)
        return is_looking and empty_at > max(self._rung_at, monotonic() - KEPT_FOR)

    def claimed(self, worker: WorkerId, count: int) -> None:
        """What a claim found; also one that did not wait."""
        if count:
            self._found += 1
            self._empty_at.pop(worker, None)
        else:
            self._note_empty(worker)

    async def wait(self, claimant: Claimant, seconds: float) -> bool:
        """Whether to check the access key and claim now. False: the time is over, or the server stops."""
        mine: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[mine] = claimant
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_for_ever(), name="holdfast-long-polls")
        try:
            with self._permits.watch(claimant):
                async with asyncio.timeout(seconds):
                    return await mine
        except TimeoutError:
            self._note_empty(claimant[1])
            return False
        finally:
            self._waiting.pop(mine, None)

    def _note_empty(self, worker: WorkerId) -> None:
        if len(self._empty_at) >= MOST_KNOWN:
            self._empty_at.clear()
        self._empty_at[worker] = monotonic()

    async def _look_for_ever(self) -> None:
        """Until no claim has waited for a while."""
        channels = {READY: self._on_ready}
        connection = listening_connection(
            self._app.database.address, "long polls", channels, self._bell.set, STATEMENT_TIMEOUT
        )
        used_at = monotonic()
        try:
            while monotonic() - used_at < KEPT_FOR:
                if self._waiting:
                    used_at = monotonic()
                    await self._look(connection)
                await asyncio.sleep(BUSY)
                await self._pause()
        finally:
            await connection.close()

    async def _look(self, connection: WorkerConnection) -> None:
        if self._is_stopping():
            for waiting in [*self._waiting]:
                self._answer(waiting, False)
            return
        if self._woken:
            is_good = self._found >= self._woken
            self._most = min(2 * self._most, MOST_WOKEN) if is_good else max(1, self._most // 2)
        try:
            workers = [worker for _, worker in self._waiting.values()]
            found = await workers_to_wake(connection, workers, self._most)
        except HoldfastError:  # the connection has logged its loss, and reconnects at the next look
            return
        self._woken, self._found = len(found), 0
        for worker in found:
            self._wake(worker)

    def _wake(self, worker: WorkerId) -> None:
        """One claim of the worker, if it still waits."""
        for waiting, (_, whose) in self._waiting.items():
            if whose == worker:
                self._answer(waiting, True)
                return

    def _withdraw(self, claimant: Claimant) -> None:
        """All claims of the worker with this secret: the check before they claim refuses them."""
        for waiting in [waiting for waiting, whose in self._waiting.items() if whose == claimant]:
            self._answer(waiting, True)

    def _answer(self, waiting: "asyncio.Future[bool]", should_claim: bool) -> None:
        del self._waiting[waiting]
        if not waiting.done():
            waiting.set_result(should_claim)

    async def _pause(self) -> None:
        """At once if something was notified or found, else for a while."""
        if self._found:
            return
        try:
            async with asyncio.timeout(POLL - BUSY):
                await self._bell.wait()
        except TimeoutError:
            return
        self._bell.clear()

    def _on_ready(self, *_: object) -> None:
        self._rung_at = monotonic()
        self._bell.set()
