"""Schedules from an operator's side: list, add, change, pause, resume, remove, run."""

from typing import Any, Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.schedule import ScheduleSettings, schedule_wire
from holdfast.db import schedules
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.error import Conflict, NotFound
from holdfast.model.id import JobId
from holdfast.model.schedule import Schedule


class Schedules:
    """Available as `app.schedules`. `app.schedule` declares those of the app itself.

    Each change is recorded with its reason. An app that declares a schedule sets it again when it starts, but
    keeps a pause.
    """

    def __init__(self, links: Links) -> None:
        self._links = links
        self.declared: dict[str, dict[str, Any]] = {}

    async def find(self, limit: int = 100, *, after: str | None = None) -> list[Schedule]:
        """By name, after the given name."""
        return await schedules.list_schedules(self._database, limit, after)

    async def get(self, name: str) -> Schedule:
        return await require_schedule(self._database, name)

    async def add(
        self, name: str, reason: str | None = None, **settings: Unpack[ScheduleSettings]
    ) -> list[SettingChange]:
        """Makes a schedule; raises Conflict if there is one of this name."""
        return await add_schedule(
            self._database, name, schedule_wire(name, settings), reason, self._links.name
        )

    async def set(
        self, name: str, reason: str | None = None, **settings: Unpack[ScheduleSettings]
    ) -> list[SettingChange]:
        """Changes what is given; other times count from now on. Makes the schedule if there is none."""
        return await schedules.set_schedule(
            self._database, name, schedule_wire(name, settings), reason, self._links.name
        )

    async def pause(self, name: str, reason: str | None = None) -> None:
        """No slot runs until it is resumed."""
        await schedules.pause_schedule(self._database, name, reason, self._links.name)

    async def resume(self, name: str, reason: str | None = None) -> None:
        """Slots run again, from now on; those of the pause are not made up for."""
        await schedules.resume_schedule(self._database, name, reason, self._links.name)

    async def remove(self, name: str, reason: str | None = None) -> None:
        """Its jobs stay."""
        await schedules.remove_schedule(self._database, name, reason, self._links.name)

    async def run(self, name: str, reason: str | None = None) -> JobId:
        """A job now, beside the slots."""
        return await schedules.run_schedule(self._database, name, reason, self._links.name)

    @property
    def _database(self) -> Executor:
        return self._links.here().database


async def require_schedule(on: Executor, name: str) -> Schedule:
    """Raises NotFound."""
    found = await schedules.get_schedule(on, name)
    if found is None:
        raise NotFound(
            f"There is no schedule {name!r}.",
            "'holdfast schedules list' shows all schedules, 'holdfast schedules add' adds one",
        )
    return found


async def add_schedule(
    on: Executor, name: str, settings: dict[str, Any], reason: str | None, actor: str
) -> list[SettingChange]:
    """set_schedule, but for a name that is taken."""
    if await schedules.get_schedule(on, name) is not None:
        raise Conflict(
            f"There is a schedule {name!r} already.", f"change it with 'holdfast schedules set {name} …'"
        )
    return await schedules.set_schedule(on, name, settings, reason, actor)


async def change_schedule(
    on: Executor, name: str, settings: dict[str, Any], reason: str | None, actor: str
) -> list[SettingChange]:
    """set_schedule for a schedule that exists; raises NotFound."""
    await require_schedule(on, name)
    return await schedules.set_schedule(on, name, settings, reason, actor)
