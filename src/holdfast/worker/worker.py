"""A worker: a process that claims and runs jobs."""

import asyncio
import os
import random
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import uuid4

from holdfast.db.flags import worker_flags
from holdfast.model.flag import ClaimSize, WorkerSizes
from holdfast.model.id import WorkerId
from holdfast.worker.declarations import Declarations
from holdfast.worker.events.event_hooks import hooks_listening
from holdfast.worker.lease.lease import Registration
from holdfast.worker.metrics.metrics_address import MetricsAddress
from holdfast.worker.options import GRACE, SWEEP, WorkerOptions, lease_for, queues_and_weights
from holdfast.worker.resources import resources_open
from holdfast.worker.shutdown.stopping import Stopping
from holdfast.worker.time_box.succession import Continuing
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.worker_app import WorkerApp
from holdfast.worker.worker_report import WorkerReport
from holdfast.worker.worker_run import WorkerRun
from holdfast.worker.worker_state import WorkerState


class Worker:
    """Runs the jobs of some queues with an application's handlers; `run` it once, `stop` it from its loop.

    Each has a new random id: host names and process ids are reused, and a lease must not be.
    """

    def __init__(
        self,
        app: WorkerApp,
        queues: Sequence[str] | Mapping[str, float],
        *,
        slots: int | None = None,
        group: str | None = None,
        lease: timedelta | None = None,
        grace: timedelta = GRACE,
        sweep: timedelta = SWEEP,
        stagger: timedelta = timedelta(0),
        drain: bool = False,
        once: bool = False,
        metadata: Mapping[str, Any] | None = None,
        app_path: str | None = None,
        box: TimeBox | None = None,
        claim_size: ClaimSize | None = None,
        continuing: Continuing | None = None,
        suspects_with: Sequence[str] | None = None,
        only_suspects: bool = False,
        on_registered: Callable[[], None] | None = None,
        metrics: MetricsAddress | None = None,
        internal: bool = False,
    ) -> None:
        """`slots` and `claim_size` win over the flags of the same names; without them the worker follows the
        flags while it runs.

        `suspects_with`: a command that starts another worker of this kind with `only_suspects`, see
        `holdfast.worker.suspects`; without it this worker runs suspects itself, one at a time and alone.
        `internal`: it runs Holdfast's own jobs, and leaves maintenance to the process that it is in.
        """
        names, weights = queues_and_weights(queues)
        self.options = WorkerOptions(
            names,
            weights,
            slots,
            group,
            lease_for(box) if lease is None else lease,
            grace,
            sweep,
            stagger,
            drain,
            once,
            metadata,
            app_path,
            box,
            claim_size,
            continuing or Continuing(),
            None if suspects_with is None else tuple(suspects_with),
            only_suspects,
            on_registered,
            metrics,
            internal,
        )
        self.id, self.report = WorkerId(uuid4()), WorkerReport()
        self.is_open = asyncio.Event()  # set when the app's resources are
        self._app = app
        self._stopping = Stopping()

    async def run(self) -> WorkerReport:
        """Runs until `stop`, or with `drain` or `once` until the work is done."""
        await self._stagger()
        await self._app.database.start()
        declarations = Declarations(self._app.database, self._app.declarations())
        await declarations.send()
        async with (
            hooks_listening(self._app.event_hooks, self.options, self.report),
            resources_open(self._app.app_hooks, self.options, self._stopping) as resources,
        ):
            self.is_open.set()
            sizes = self.options.sizes(await worker_flags(self._app.database, self.options.group))
            registration = Registration(self.id, list(self.options.queues), self._info(sizes))
            state = WorkerState(
                self._app, self.options, registration, sizes, self.report, self._stopping, resources
            )
            await WorkerRun(state, declarations).work()
        return self.report

    def stop(self) -> None:
        """Claim nothing more, finish within the grace period, release the rest. Twice: release now."""
        self._stopping.ask()

    @property
    def is_leaving(self) -> bool:
        return self._stopping.is_asked

    @property
    def grace_left(self) -> timedelta:
        """The rest of the grace period since the stop request; never below zero."""
        return self._stopping.left_of(self.options.grace)

    async def _stagger(self) -> None:
        try:
            async with asyncio.timeout(random.random() * self.options.stagger.total_seconds()):
                await self._stopping.asked.wait()
        except TimeoutError:
            return

    def _info(self, sizes: WorkerSizes) -> dict[str, Any]:
        options = self.options
        info = {
            "group": options.group,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "version": self._app.version,
            "lease": options.lease.total_seconds(),
            "tasks": sorted(self._app.tasks),
            "weights": dict(options.weights) or None,
            "metadata": options.metadata,
            "isolation": options.isolation,
            "internal": options.internal or None,
            **asdict(sizes),
            **self._box_info(),
        }
        return {name: value for name, value in info.items() if value is not None}

    def _box_info(self) -> dict[str, Any]:
        """A worker with a time box has a continuation from its start, so that another worker notices if it
        disappears.
        """
        box, continuing = self.options.box, self.options.continuing
        if box is None:
            return {}
        return {
            "time_box": max(0.0, box.ends_at - monotonic()),
            "continues": continuing.callback is not None,
            "run": None if continuing.run is None else str(continuing.run),
        }
