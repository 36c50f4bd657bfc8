"""What the caller may do with a job in its state. Each action is a form that calls the API."""

from dataclasses import dataclass

from holdfast.dashboard.json_code import MOST_AS_TEXT, json_text, text_block
from holdfast.dashboard.page import View
from holdfast.db.pipelines import stages_of
from holdfast.model.dead_letter import DeadLetter
from holdfast.model.job import Job, JobDetails
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.model.state import State
from holdfast.report.markup import Markup


@dataclass(frozen=True, slots=True)
class JobActions:
    """`stages`: where a replay may start. `payload`: what a replacement begins with; None if it is too long
    to edit in a page, or has masked values. `signal`: the name of the signal that the job waits for.
    """

    can_replay: bool = False
    can_replace: bool = False
    can_cancel: bool = False
    can_reclaim: bool = False
    can_signal: bool = False
    can_set_priority: bool = False
    stages: tuple[str, ...] = ()
    payload: Markup | None = None
    signal: str = ""


async def actions_on(view: View, job: Job, details: JobDetails, letter: DeadLetter | None) -> JobActions:
    if not view.may_operate or job.queue == INTERNAL_QUEUE:
        return JobActions()
    if not job.is_ended:
        return JobActions(
            can_cancel=job.cancel_asked_at is None,
            can_reclaim=job.state is State.RUNNING,
            can_signal=job.state in (State.WAITING, State.RUNNING),
            can_set_priority=True,
            signal=_awaited(job),
        )
    if letter is not None and letter.replaced_by is not None:
        return JobActions()
    is_dead = job.state is State.DEAD
    return JobActions(
        can_replay=True,
        can_replace=is_dead,
        stages=await _stages(view, details),
        payload=_editable(view, job) if is_dead else None,
    )


def _awaited(job: Job) -> str:
    kind, _, name = (job.reason or "").partition(":")
    return name if job.state is State.WAITING and kind == "signal" else ""


async def _stages(view: View, details: JobDetails) -> tuple[str, ...]:
    if details.pipeline is None:
        return ()
    found = await stages_of(view.database, details.pipeline)
    return tuple(one.stage for one in found if one.version == details.pipeline_version)


def has_masked(view: View, job: Job) -> bool:
    return view.masking.hides_in(job.payload)


def _editable(view: View, job: Job) -> Markup | None:
    text = json_text(job.payload, indent=2)
    return None if len(text) > MOST_AS_TEXT or has_masked(view, job) else text_block(text)
