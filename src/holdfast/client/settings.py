"""Changes of settings by an operator; each leaves an event with the values before and after."""

from typing import TypedDict, Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.endpoint import EndpointSettings, endpoint_wire
from holdfast.client.task_and_queue_settings import QueuePolicy, TaskChanges, queue_wire, task_wire
from holdfast.db import endpoints, moves, queues
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.move import RebalancePair


class RebalancePolicy(TypedDict, total=False):
    """When rebalancing moves jobs from one queue to another; None restores the default."""

    ratio: float | None  # 3: of the ready jobs of the two queues, each plus 1
    least_depth: int | None  # 10 ready jobs in the first queue
    max_jobs: int | None  # 1000 in a round
    condition: str | None  # a JSON path predicate over the payload: '$.size == "medium"'


class Settings:
    """Available as `app.settings`. Only what is given is changed; each method returns what changed.

    An app that declares the same setting when it starts sets it again.
    """

    def __init__(self, links: Links) -> None:
        self._links = links

    async def set_queue(
        self, name: str, reason: str | None = None, **policy: Unpack[QueuePolicy]
    ) -> list[SettingChange]:
        return await queues.set_queue(
            self._database, name, queue_wire(name, policy), reason, self._links.name
        )

    async def set_task(
        self, name: str, reason: str | None = None, **policy: Unpack[TaskChanges]
    ) -> list[SettingChange]:
        return await queues.set_task(self._database, name, task_wire(name, policy), reason, self._links.name)

    async def set_endpoint(
        self, name: str, reason: str | None = None, **settings: Unpack[EndpointSettings]
    ) -> list[SettingChange]:
        return await endpoints.set_endpoint(
            self._database, name, endpoint_wire(name, settings), reason, self._links.name
        )

    async def set_rebalance(
        self, from_queue: str, to_queue: str, reason: str | None = None, **policy: Unpack[RebalancePolicy]
    ) -> list[SettingChange]:
        """Lets rebalancing move jobs from one queue to another."""
        return await moves.set_rebalance(
            self._database, from_queue, to_queue, policy, reason, self._links.name
        )

    async def remove_rebalance(self, from_queue: str, to_queue: str, reason: str | None = None) -> None:
        await moves.remove_rebalance(self._database, from_queue, to_queue, reason, self._links.name)

    async def rebalance_pairs(self) -> list[RebalancePair]:
        return await moves.rebalance_pairs(self._database)

    @property
    def _database(self) -> Executor:
        return self._links.here().database
