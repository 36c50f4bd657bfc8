"""Whether claims may go on waiting: one statement asks for all of a server, about every two seconds."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from holdfast.api.live.shared_reader import SharedReader
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_claimants
from holdfast.model.access_key import SecretHash
from holdfast.model.id import WorkerId

CHECK_EVERY = timedelta(seconds=2)

Claimant = tuple[SecretHash, WorkerId]


class ClaimPermits:
    """The secret of a claim must be valid, and its access key the one that registered the worker.

    A permit is kept for a moment after the wait, so that a worker which polls for ever is not checked alone.
    """

    def __init__(self, app: Holdfast, withdrawn: Callable[[Claimant], None]) -> None:
        """`withdrawn` is called with each claimant that may not go on, again at each check."""
        self._app, self._withdrawn = app, withdrawn
        self._reader = SharedReader(self._check, CHECK_EVERY)

    def holds(self, claimant: Claimant) -> bool:
        return bool(self._reader.fresh(claimant))

    @contextmanager
    def watch(self, claimant: Claimant) -> Iterator[None]:
        """Of one that was checked when its request came."""
        with self._reader.watch(claimant, known=True):
            yield

    async def _check(self, claimants: Sequence[Claimant]) -> AsyncIterator[tuple[Claimant, bool]]:
        valid = await check_claimants(self._app.database, claimants)
        for place, claimant in enumerate(claimants):
            if place not in valid:
                self._withdrawn(claimant)
            yield claimant, place in valid
