"""Holdfast without statistics: the same script, but its workers neither count ends nor sample depths."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from bench.peers.holdfast_script import HoldfastScript
from bench.peers.script import Handled, main
from holdfast.maintenance.maintenance_task import MaintenanceTask
from holdfast.maintenance.standard_tasks import SAMPLE_DEPTHS, SUMMARISE_ENDS, standard_tasks
from holdfast.worker import worker_maintenance


def uncounted_tasks(sweep: timedelta, **on: Callable[[], None]) -> list[MaintenanceTask]:
    return [task for task in standard_tasks(sweep, **on) if task.name not in (SUMMARISE_ENDS, SAMPLE_DEPTHS)]


class UncountedScript(HoldfastScript):
    async def work(self, url: str, handled: Handled, stop: asyncio.Event) -> None:
        vars(worker_maintenance)["standard_tasks"] = uncounted_tasks
        await super().work(url, handled, stop)


if __name__ == "__main__":
    main(UncountedScript())
