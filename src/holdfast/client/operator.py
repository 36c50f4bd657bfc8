"""Operator actions on live jobs, by id or by a filter. Each needs a reason and fences the worker."""

from typing import Any, Unpack
from uuid import UUID

from holdfast.client.connection_pools import Links
from holdfast.client.filters import JobFilter, read_state, wire
from holdfast.client.job_actions import Action, JobSelection, act
from holdfast.client.move import move_in_steps
from holdfast.client.read_id import read_id
from holdfast.db import logs, moves, operator, stats
from holdfast.db.operator import Results
from holdfast.db.statement import Executor
from holdfast.model.byte_size import Size, parse_size
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.id import JobId
from holdfast.model.move import Moved, RebalancedPair
from holdfast.model.operator_action import OperatorResult
from holdfast.model.payload import encode
from holdfast.model.state import LIVE


class OperatorActions:
    """Available as `app.operator`. Pass either ids or a filter.

    A filter is processed in steps of 1000 jobs, each in its own transaction.
    """

    def __init__(self, links: Links) -> None:
        self._links = links

    async def limit_logs(self, size: Size, reason: str) -> None:
        """Keeps at most this much of all handlers' logs, such as "2GiB"; beyond that the oldest go."""
        await logs.limit_logs(self._database, parse_size(size), reason, self._links.name)

    async def keep_statistics(self, minutes: Duration, hours: Duration, reason: str) -> None:
        """Keeps statistics by minute and by hour for so long; the default is 7 and 30 days."""
        await stats.keep_statistics(
            self._database, parse_duration(minutes), parse_duration(hours), reason, self._links.name
        )

    async def reclaim(self, *jobs: UUID | str, reason: str, **filters: Unpack[JobFilter]) -> Results:
        """Takes jobs from their workers and makes them ready again, without a failure."""
        return await self._on(
            jobs, filters, lambda ids: operator.reclaim(self._database, ids, reason, self._links.name)
        )

    async def complete(
        self, *jobs: UUID | str, reason: str, output: Any = None, **filters: Unpack[JobFilter]
    ) -> Results:
        """Completes jobs whose work was done by other means, with this output."""
        left = None if output is None else encode(output)
        return await self._on(
            jobs,
            filters,
            lambda ids: operator.complete_as_operator(self._database, ids, left, reason, self._links.name),
        )

    async def fail(self, *jobs: UUID | str, reason: str, **filters: Unpack[JobFilter]) -> Results:
        """Fails jobs for good: each becomes a dead letter."""
        return await self._on(
            jobs,
            filters,
            lambda ids: operator.fail_as_operator(self._database, ids, reason, self._links.name),
        )

    async def set_priority(
        self, *jobs: UUID | str, to: int, reason: str, **filters: Unpack[JobFilter]
    ) -> Results:
        return await self._on(
            jobs,
            filters,
            lambda ids: operator.set_priority(self._database, ids, to, reason, self._links.name),
        )

    async def move_jobs(self, from_queue: str, to_queue: str, limit: int, reason: str) -> Moved:
        """Moves up to `limit` ready and scheduled jobs to another queue, those first that would start next.

        Running and waiting jobs, suspects and jobs of pipelines stay.
        """
        return await move_in_steps(self._database, from_queue, to_queue, limit, reason, self._links.name)

    async def rebalance(self, dry_run: bool = False, reason: str | None = None) -> list[RebalancedPair]:
        """Moves jobs between the pairs of `app.settings.set_rebalance`, as workers do every five minutes."""
        return await moves.rebalance_queues(self._database, dry_run, reason=reason, actor=self._links.name)

    @property
    def _database(self) -> Executor:
        return self._links.here().database

    async def _on(
        self, jobs: tuple[UUID | str, ...], filters: JobFilter, action: Action[OperatorResult]
    ) -> Results:
        chosen = wire(filters)
        states = frozenset({read_state(chosen["state"])}) & LIVE if "state" in chosen else LIVE
        ids = tuple(JobId(read_id(job)) for job in jobs)
        return await act(self._database, JobSelection(ids, chosen, states), action)
