"""From the options of `holdfast worker` to a worker."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Self

from holdfast.cli.early_end import process_age
from holdfast.cli.options import duration, identifier
from holdfast.client.app import Holdfast
from holdfast.client.policy import DEFAULT_QUEUE
from holdfast.client.work import box_of
from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.id import RunId
from holdfast.worker.callback import Callback, Command, Post
from holdfast.worker.succession import Continuing
from holdfast.worker.timebox import TimeBox
from holdfast.worker.worker import Worker


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What the command line says; its names are those of the options."""

    app: str
    queues: str | None
    slots: int
    group: str | None
    drain: bool
    once: bool
    lease: str | None
    grace: str
    sweep: str
    stagger: str | None
    claim_size: str
    time_box: str | None
    margin: str | None
    continue_post: str | None
    continue_header: list[str] | None
    continue_command: str | None
    continue_after: str
    patience: str
    continuation: str | None
    run: str | None

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        return cls(**{field.name: parameters[field.name] for field in fields(cls)})

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

    def _box(self) -> TimeBox | None:
        if self.time_box is None:
            if self.margin is not None:
                raise InvalidOption("--margin is the end of a time box.", "give --time-box too")
            return None
        return box_of(self.time_box, self.margin, process_age())

    def _continuing(self) -> Continuing:
        return Continuing(
            callback=self._callback(),
            delay=parse_duration(self.continue_after),
            patience=parse_duration(self.patience),
            continuation=identifier(self.continuation, "continuation") if self.continuation else None,
            run=RunId(identifier(self.run, "run")) if self.run else None,
        )

    def _callback(self) -> Callback | None:
        if self.continue_post and self.continue_command:
            raise InvalidOption("A worker has one successor.", "give --continue-post or --continue-command")
        if self.continue_command:
            return Command.parse(self.continue_command)
        if self.continue_post:
            return Post(self.continue_post, dict(_header(text) for text in self.continue_header or []))
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
        raise InvalidOption(f"--queues {text!r} has an empty name.", "write it as chat,mail:3")
    return queues


def read_claim_size(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise InvalidOption(
            f"--claim-size {text!r} is neither auto nor a number.", "write auto, or 1 or more"
        )
    return int(text)


def _weight(text: str, part: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise InvalidOption(
            f"The weight in {part!r} is not a number above 0.", "write it as mail:3, or leave it out"
        )
    return weight


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise InvalidOption(
            f"--continue-header {text!r} is no header.", 'write it as "Authorization: Bearer …"'
        )
    return name.strip(), value.strip()
