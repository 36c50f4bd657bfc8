"""The settings of schedules, and how an app declares one for a task or a pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict, TypeVar

from holdfast.client.enqueue_options import NONE, GivenOptions, Wire, with_options
from holdfast.client.pipeline import PipelineHandle
from holdfast.client.task import Task
from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.json_document import plain
from holdfast.model.payload import decode, encode
from holdfast.model.schedule import Schedule

Target = TypeVar("Target", bound=Task[..., Any] | PipelineHandle)

# The others would be the same for every slot, or are set by the schedule itself.
OPTIONS = (
    "queue",
    "priority",
    "order_key",
    "labels",
    "timeout",
    "group",
    "endpoint",
    "max_failures",
    "retry",
    "estimate",
)
SHOWN = 5  # of the coming slots
# Where a pipeline's first stage stands: its version at the time of the slot decides that.
ENTRY = ("pipeline", "queue")


class ScheduleSettings(TypedDict, total=False):
    """The settings of a schedule; None restores the default. It has a task or a pipeline, cron or every."""

    task: str | None
    pipeline: str | None
    cron: str | None  # five fields: minute, hour, day of month, month, day of week
    every: Duration | None  # whole seconds
    tz: str | None  # of cron: an IANA name, "UTC"
    payload: Mapping[str, Any]
    options: GivenOptions | None  # of its jobs
    missed: Literal["skip", "last", "all"] | None  # slots that no worker fired in time; "last"
    overlap: Literal["allow", "skip"] | None  # while the job of the last slot lives; "allow"


def schedule_wire(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in the form of set_schedule; raises InvalidOption for times that cannot be read."""
    unknown = settings.keys() - ScheduleSettings.__annotations__.keys()
    if unknown:
        raise InvalidOption(
            f"The schedule {name} has no setting {', '.join(sorted(unknown))}.",
            f"the settings are {', '.join(ScheduleSettings.__annotations__)}",
        )
    wire = dict(settings)
    cron, tz = settings.get("cron"), settings.get("tz") or "UTC"
    if cron is not None or settings.get("tz") is not None:
        ScheduleTimes.read(cron, None if cron else timedelta(seconds=1), tz)
    if settings.get("every") is not None:
        wire["every"] = parse_duration(settings["every"]).total_seconds()
    if settings.get("options") is not None:
        wire["options"] = _options(name, with_options(NONE, settings["options"]))
    if "payload" in settings:
        wire["payload"] = decode(encode(settings["payload"]))
    return wire


def _options(name: str, given: Wire) -> dict[str, Any]:
    if unknown := [option for option in given if option not in OPTIONS]:
        raise InvalidOption(
            f"The jobs of the schedule {name} cannot have the option {', '.join(unknown)}.",
            f"the options are {', '.join(OPTIONS)}",
        )
    return dict(given)


def coming_slots(schedule: Schedule, count: int) -> list[datetime]:
    """The next ones, in the schedule's own zone; none while it is paused, or its times cannot be read."""
    if schedule.state in ("paused", "invalid"):
        return []
    try:
        times = ScheduleTimes.read(schedule.cron, schedule.every, schedule.tz)
    except InvalidOption:
        return []  # the next round of a worker makes it invalid
    if schedule.next_slot is None:
        return times.coming(schedule.counts_from, count)
    return [schedule.next_slot.astimezone(times.zone), *times.coming(schedule.next_slot, count - 1)]


def schedule_document(schedule: Schedule) -> dict[str, Any]:
    return {**plain(schedule), "next_slots": plain(coming_slots(schedule, SHOWN))}


@dataclass(frozen=True, slots=True)
class ScheduleDecorator:
    """Called with a task or a pipeline, which it returns; `declared` gets the schedule."""

    declared: dict[str, dict[str, Any]]
    name: str | None
    settings: Mapping[str, Any]

    def __call__(self, target: Target, /) -> Target:
        if not isinstance(target, Task | PipelineHandle):
            raise InvalidOption(
                f"A schedule needs a task or a pipeline (got {target!r}).",
                "write @app.schedule(…) above @app.task(…)",
            )
        name = self.name or target.name
        if name in self.declared:
            raise InvalidOption(
                f"Two schedules have the name {name}.",
                'give one of them another name: app.schedule(name="…")',
            )
        # The payload is checked against the handler's parameters.
        call = target.call(**self.settings["payload"])
        is_task = isinstance(target, Task)
        own = {key: value for key, value in call.task.given.items() if is_task or key not in ENTRY}
        given = {key: value for key, value in self.settings.items() if value is not None}
        wire = schedule_wire(name, {**given, "payload": decode(call.payload)})
        self.declared[name] = {
            **wire,
            "task" if is_task else "pipeline": target.name,
            "options": _options(name, own),
        }
        return target
