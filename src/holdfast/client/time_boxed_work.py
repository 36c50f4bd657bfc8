"""A worker inside a function that must return in time."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from holdfast.client.read_id import read_id
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.flag import ClaimSize
from holdfast.model.id import RunId

if TYPE_CHECKING:
    from holdfast.client.app import Holdfast
    from holdfast.client.run import Run
    from holdfast.worker.time_box.callback import Starter
    from holdfast.worker.time_box.succession import Continuing
    from holdfast.worker.time_box.time_box import TimeBox
    from holdfast.worker.worker_report import WorkReport

MARGIN = 0.2


class WorkOptions(TypedDict, total=False):
    """`continuation`: what a callback received, or the id in it. `continue_by`: what starts the successor."""

    margin: Duration
    queues: Sequence[str] | Mapping[str, float]
    slots: int
    group: str
    claim_size: ClaimSize
    run: "Run | UUID | str"
    continuation: Mapping[str, Any] | UUID | str | None
    continue_by: "Starter | None"
    continue_after: Duration
    patience: Duration
    lease: Duration
    sweep: Duration
    metadata: Mapping[str, Any]


async def work(app: "Holdfast", time_box: Duration, options: WorkOptions) -> "WorkReport":
    from holdfast.worker.worker import Worker
    from holdfast.worker.worker_report import work_report

    box = box_of(time_box, options.get("margin"))  # the box begins here
    lease = options.get("lease")
    worker = Worker(
        app,
        options.get("queues") or app.queue_names,
        slots=options.get("slots"),
        group=options.get("group"),
        lease=None if lease is None else parse_duration(lease),
        sweep=parse_duration(options.get("sweep", "5s")),
        metadata=options.get("metadata"),
        box=box,
        claim_size=options.get("claim_size"),
        continuing=_continuing(options),
    )
    return work_report(await worker.run())


def box_of(length: Duration, margin: Duration | None, age: float = 0.0) -> "TimeBox":
    """The margin is by default a fifth of the box; `age`: for how many seconds the box has been open."""
    from time import monotonic

    from holdfast.worker.time_box.time_box import TimeBox

    whole = parse_duration(length)
    return TimeBox(whole, MARGIN * whole if margin is None else parse_duration(margin), monotonic() - age)


def _continuing(options: WorkOptions) -> "Continuing":
    from holdfast.worker.time_box.callback import callback_of
    from holdfast.worker.time_box.succession import Continuing

    body = options.get("continuation")
    known = body.get("continuation") if isinstance(body, Mapping) else body
    run = options.get("run")
    return Continuing(
        callback=callback_of(options.get("continue_by")),
        delay=parse_duration(options.get("continue_after", timedelta(seconds=1))),
        patience=parse_duration(options.get("patience", timedelta(seconds=30))),
        continuation=None if known is None else read_id(known),
        run=None if run is None else RunId(run if isinstance(run, UUID) else read_id(_id_of(run))),
    )


def _id_of(run: "Run | str") -> str:
    return run if isinstance(run, str) else str(run.id)
