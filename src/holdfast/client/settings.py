"""Changes of settings by an operator; each leaves an event with the values before and after."""

from typing import Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.endpoint import EndpointSettings, endpoint_wire
from holdfast.client.task_and_queue_settings import QueuePolicy, TaskChanges, queue_wire, task_wire
from holdfast.db import endpoints, queues, rollouts
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.rollout import Share, parse_share


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

    @property
    def _database(self) -> Executor:
        return self._links.here().database
