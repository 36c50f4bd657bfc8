"""The options that say which jobs a command means: by id, or all that match a filter."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import identifier, labels, read_job_id
from holdfast.cli.frame.option_groups import takes
from holdfast.client.filters import JobFilter, read_moment, read_payload_values, wire
from holdfast.client.job_actions import JobSelection
from holdfast.model.state import State


class LiveState(StrEnum):
    """What --state offers where jobs must not have ended."""

    WAITING = State.WAITING.value
    SCHEDULED = State.SCHEDULED.value
    READY = State.READY.value
    RUNNING = State.RUNNING.value


class EndState(StrEnum):
    """What --state offers where jobs must have ended."""

    COMPLETED = State.COMPLETED.value
    REJECTED = State.REJECTED.value
    CANCELLED = State.CANCELLED.value
    DEAD = State.DEAD.value


StateFilter = Annotated[State | None, typer.Option(help="Only jobs in this state.")]
LiveStateFilter = Annotated[LiveState | None, typer.Option("--state", help="Only jobs in this state.")]
EndStateFilter = Annotated[EndState | None, typer.Option("--state", help="Only jobs in this state.")]
QueueFilter = Annotated[str | None, typer.Option(help="Only jobs of this queue.")]
TaskFilter = Annotated[str | None, typer.Option(help="Only jobs of this task.")]
RunFilter = Annotated[
    str | None, typer.Option(metavar="ID", help="Only jobs of the run (a batch of jobs) with this id.")
]
LabelFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="NAME=VALUE",
        help="Only jobs with this label. Repeat the option to require several labels.",
    ),
]
OlderThan = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="Only jobs that were enqueued more than DURATION ago, such as 2h."),
]
NewerThan = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION", help="Only jobs that were enqueued within the last DURATION, such as 2h."
    ),
]
EnqueuedAfter = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Only jobs that were enqueued at or after this time, such as 2030-01-31T09:00:00Z.",
    ),
]
EnqueuedBefore = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only jobs that were enqueued before this time.")
]
FingerprintFilter = Annotated[
    str | None,
    typer.Option(
        "--fingerprint",
        metavar="ID",
        help="Only jobs whose latest error has this fingerprint, as 'holdfast errors' shows it.",
    ),
]
PayloadFilter = Annotated[
    list[str] | None,
    typer.Option(
        "--payload",
        metavar="PATH=VALUE",
        help="Only jobs with this value in their payload, such as customer.id=4711 or items.0.sku=a. "
        "Repeat the option to require several values.",
    ),
]
OriginFilter = Annotated[
    str | None,
    typer.Option(
        "--origin",
        help="Only jobs with this origin, such as manual, automatic, scheduled, trigger or import.",
    ),
]
ActorFilter = Annotated[
    str | None,
    typer.Option(
        "--actor",
        help="Only jobs that a database login of this name enqueued, or that were enqueued with "
        "'holdfast enqueue --actor' and this name.",
    ),
]
UniqueKeyFilter = Annotated[
    str | None, typer.Option("--unique-key", metavar="KEY", help="Only jobs with this unique key.")
]
UniqueScopeFilter = Annotated[
    str | None,
    typer.Option(
        "--unique-scope",
        help="Only jobs whose unique key is unique within this scope; by default, the name of the task.",
    ),
]
Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="JOB...", help="The ids of the jobs. Instead of ids, you can give filters, such as --queue."
    ),
]

Filters = dict[str, Any]


def filters_of(
    queue: QueueFilter = None,
    task: TaskFilter = None,
    run: RunFilter = None,
    label: LabelFilter = None,
    older_than: OlderThan = None,
    origin: OriginFilter = None,
    actor: ActorFilter = None,
    unique_key: UniqueKeyFilter = None,
    unique_scope: UniqueScopeFilter = None,
    newer_than: NewerThan = None,
    enqueued_after: EnqueuedAfter = None,
    enqueued_before: EnqueuedBefore = None,
    fingerprint: FingerprintFilter = None,
    payload: PayloadFilter = None,
) -> Filters:
    """A set of options; the filter as the database takes it."""
    return wire(
        JobFilter(
            queue=queue,
            task=task,
            run=None if run is None else identifier(run, "run"),
            labels=labels(label),
            older_than=older_than,
            origin=origin,
            actor=actor,
            unique_key=unique_key,
            unique_scope=unique_scope,
            newer_than=newer_than,
            enqueued_after=None if enqueued_after is None else read_moment(enqueued_after),
            enqueued_before=None if enqueued_before is None else read_moment(enqueued_before),
            fingerprint=fingerprint,
            payload=read_payload_values(payload, "=") if payload else None,
        )
    )


@takes(filters=filters_of)
def running_filters_of(
    filters: Filters,
    worker: Annotated[
        str | None, typer.Option(metavar="ID", help="Only jobs that the worker with this id is running.")
    ] = None,
) -> Filters:
    """The same, and by worker."""
    return filters if worker is None else {**filters, "worker": str(identifier(worker, "worker"))}


def select(ids: Iterable[str] | None, filters: Filters, states: Iterable[State]) -> JobSelection:
    return JobSelection(tuple(read_job_id(one) for one in ids or ()), filters, frozenset(states))
