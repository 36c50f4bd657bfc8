"""Changes of settings by an operator; each leaves an event with the values before and after."""

from typing import Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.endpoint import EndpointSettings, endpoint_wire
from holdfast.client.task_and_queue_settings import QueuePolicy, TaskChanges, queue_wire, task_wire
from holdfast.db import endpoints, flags, queues
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.flag import Flag


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
