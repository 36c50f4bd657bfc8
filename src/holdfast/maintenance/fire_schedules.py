"""A worker's round over the schedules: it computes their times, and the database decides who fires a slot."""

from datetime import datetime

from holdfast.db import schedules
from holdfast.db.statement import Executor
from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.error import DatabaseUnavailable, HoldfastError, InvalidOption
from holdfast.model.schedule import DueSchedule
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event

BATCH = 100  # slots of one round; a schedule that catches up with all of its missed ones goes on in the next


async def fire_schedules(on: Executor) -> int:
    """How many it looked at: if it was a whole batch, there may be more. A due slot of one schedule is one;
    `missed="all"` is due again at once. An error of one schedule is raised after the others had their turn.
    """
    count, errors = 0, list[HoldfastError]()
    while count < BATCH and (due := await schedules.due_schedules(on, BATCH - count)):
        progress = [await _serve(on, one, errors) for one in due]
        count += len(due)
        if not any(progress):
            break  # other workers are at them
    if errors:
        raise errors[0]
    return count


async def _serve(on: Executor, due: DueSchedule, errors: list[HoldfastError]) -> bool:
    """Whether this worker was the one to do it."""
    try:
        times = ScheduleTimes.read(due.cron, due.every, due.tz)
        if due.next_slot is None:
            first = times.after(due.counts_from)
            return await schedules.check_schedule(on, due.name, due.counts_from, first)
        return await _fire(on, due, due.next_slot, times)
    except InvalidOption as exc:
        is_news = await schedules.check_schedule(on, due.name, due.counts_from, None, exc.message)
        if is_news:
            emit(Event.SCHEDULE_INVALID, schedule=due.name, because=exc.message)
        return is_news
    except DatabaseUnavailable:
        raise
    except HoldfastError as exc:
        errors.append(exc)
        return False


async def _fire(on: Executor, due: DueSchedule, slot: datetime, times: ScheduleTimes) -> bool:
    newest = slot if due.missed == "all" else times.newest(slot, due.now)
    fired = await schedules.fire_schedule(on, due.name, slot, times.after(newest), newest)
    if fired is None:
        return False
    event = {"fired": Event.SCHEDULE_FIRED, "failed": Event.SCHEDULE_FAILED}.get(
        fired.result, Event.SCHEDULE_SKIPPED
    )
    why = fired.problem or (fired.result if event is Event.SCHEDULE_SKIPPED else None)
    emit(event, schedule=due.name, slot=newest.isoformat(), job=fired.job, because=why)
    return True
