"""A worker: a process that claims and runs jobs."""

import asyncio
import logging
import os
import random
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import uuid4

from holdfast.db.listen import CANCEL, READY
from holdfast.db.worker import asked_to_stop, backlog, installation_id, stop_worker
from holdfast.db.statement import Executor
from holdfast.maintenance.chore import Chore
from holdfast.maintenance.chores import CLOSE_RUNS, standard_chores
from holdfast.maintenance.sweeper import Sweeper
from holdfast.model.error import HoldfastError
from holdfast.model.id import WorkerId
from holdfast.model.worker import Renewal
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event
from holdfast.worker.context import Services
from holdfast.worker.drain import Departure
from holdfast.worker.lease import Lease, LeaseEvents, Registration
from holdfast.worker.line import Line
from holdfast.worker.options import GRACE, LEASE, SLOTS, SWEEP, WorkerOptions, queues_and_weights
from holdfast.worker.orphans import Orphans
from holdfast.worker.outbox import Outbox
from holdfast.worker.report import WorkerReport
from holdfast.worker.run import Runner
from holdfast.worker.running import Stop
from holdfast.worker.settle import Claiming, Settler
from holdfast.worker.slots import Slots
from holdfast.worker.tasks import WorkerApp
from holdfast.worker.wake import Wake
