"""Changes of settings by an operator; each leaves an event with the values before and after."""

from typing import TypedDict, Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.endpoint import EndpointSettings, endpoint_wire
from holdfast.client.task_and_queue_settings import QueuePolicy, TaskChanges, queue_wire, task_wire
from holdfast.db import endpoints, flags, moves, queues, rollouts
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.flag import Flag
from holdfast.model.move import RebalancePair
from holdfast.model.rollout import Share, parse_share


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

    async def set_rollout(self, name: str, share: Share, reason: str | None = None) -> list[SettingChange]:
        """Which part of the keys is in the roll-out: "off", "20%" or "on"."""
        return await rollouts.set_rollout(self._database, name, parse_share(share), reason, self._links.name)

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

    async def set_flag(
        self,
        name: str,
        value: str | int | None,
        reason: str | None = None,
        *,
        queue: str | None = None,
        group: str | None = None,
    ) -> list[SettingChange]:
        """For all, or for one queue or worker group; None restores the default."""
        text = None if value is None else str(value)
        return await flags.set_flag(self._database, name, text, queue, group, reason, self._links.name)

    async def list_flags(self, limit: int = 1000) -> list[Flag]:
        """Each flag with its value for all, then those that are set for one queue or worker group."""
        return await flags.list_flags(self._database, limit)

    @property
    def _database(self) -> Executor:
        return self._links.here().database
