"""From the options of `holdfast worker` to a worker."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from holdfast.cli.frame.common_options import duration, identifier
from holdfast.cli.workers.garbage_collection import relax_garbage_collection
from holdfast.cli.workers.time_box_exit import process_age
from holdfast.cli.workers.worker_options import WorkerArguments
from holdfast.cli.workers.worker_processes import MEMBER
from holdfast.client.app import Holdfast
from holdfast.client.task_and_queue_settings import DEFAULT_QUEUE
from holdfast.client.time_boxed_work import box_of
from holdfast.model.describe_value import described
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.flag import AUTO, ClaimSize
from holdfast.model.id import RunId
from holdfast.worker.metrics.metrics_address import MetricsAddress
from holdfast.worker.time_box.callback import Callback, CommandCallback, HttpCallback
from holdfast.worker.time_box.succession import Continuing
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.worker import Worker


class WorkerSettings(WorkerArguments):
    """What the command line says."""

    __slots__ = ()

    def worker(self, loaded: Holdfast, suspects_with: Sequence[str]) -> Worker:
        return Worker(
            loaded,
            self.queues_of(loaded),
            slots=self.slots,
            group=self.group,
            lease=duration(self.lease),
            grace=parse_duration(self.grace),
            sweep=parse_duration(self.sweep),
            stagger=duration(self.stagger) or timedelta(0),
            drain=self.drain,
            once=self.once,
            app_path=self.app,
            box=self._box(),
            claim_size=read_claim_size(self.claim_size),
            continuing=self._continuing(),
            suspects_with=suspects_with,
            on_registered=relax_garbage_collection,
            metrics=self._metrics(),
        )

    def suspect_worker(self, loaded: Holdfast, queue: str, on_registered: Callable[[], None]) -> Worker:
        """Another process of the same command, for the suspects of one queue."""
        return Worker(
            loaded,
            [queue],
            slots=1,
            group=self.group,
            lease=duration(self.lease),
            grace=parse_duration(self.grace),
            sweep=parse_duration(self.sweep),
            app_path=self.app,
            only_suspects=True,
            on_registered=on_registered,
        )

    def queues_of(self, loaded: Holdfast) -> Mapping[str, float] | list[str]:
        return read_queues(self.queues) if self.queues else loaded.queue_names or [DEFAULT_QUEUE]

    def _metrics(self) -> MetricsAddress | None:
        if self.metrics_port is None:
            return None
        place = int(os.environ.get(MEMBER, "0")) if self.metrics_port else 0
        return MetricsAddress(self.metrics_port + place, self.metrics_host)

    def _box(self) -> TimeBox | None:
        if self.time_box is None:
            if self.margin is not None:
                raise InvalidOption(
                    "--margin has no effect without --time-box.", "add --time-box, or leave out --margin"
                )
            return None
        return box_of(self.time_box, self.margin, process_age())

    def _continuing(self) -> Continuing:
        return Continuing(
            callback=self._callback(),
            delay=parse_duration(self.continue_after),
            patience=parse_duration(self.patience),
            continuation=_continuation(self.continuation) if self.continuation else None,
            run=RunId(identifier(self.run, "run")) if self.run else None,
        )

    def _callback(self) -> Callback | None:
        if self.continue_post and self.continue_command:
            raise InvalidOption(
                "--continue-post and --continue-command cannot be combined.", "leave out one of them"
            )
        if self.continue_command:
            return CommandCallback.parse(self.continue_command)
        if self.continue_post:
            return HttpCallback(
                self.continue_post, dict(_header(text) for text in self.continue_header or [])
            )
        return None


def read_queues(text: str) -> Mapping[str, float]:
    """`chat,mail:3` as names and weights."""
    queues: dict[str, float] = {}
    for part in text.split(","):
        name, colon, weight = part.strip().rpartition(":")
        if not colon:
            name, weight = weight, "1"
        queues[name.strip()] = _weight(weight, part)
    if "" in queues:
        raise InvalidOption(
            f"--queues must be names separated by commas, but {text!r} contains an empty name.",
            "write it as chat,mail",
        )
    return queues


def read_claim_size(text: str | None) -> ClaimSize | None:
    if text is None:
        return None
    if text == AUTO:
        return AUTO
    if not text.isdecimal() or int(text) < 1:
        raise InvalidOption(
            f"--claim-size must be auto or a number of at least 1 (got {text!r}).", "auto suits most workers"
        )
    return int(text)


def _weight(text: str, part: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise InvalidOption(
            f"The weight of a queue must be a number above 0 (got {part!r}).",
            "write the weight after a colon, such as mail:3, or leave it out",
        )
    return weight


def _continuation(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidOption(
            f"--continuation must be a UUID (got {text!r}).", "pass the id that the previous worker passed on"
        ) from None


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise InvalidOption(
            f"--continue-header must be NAME: VALUE (got {described(text)}).",
            'write it as "Authorization: Bearer …"',
        )
    return name.strip(), value.strip()
