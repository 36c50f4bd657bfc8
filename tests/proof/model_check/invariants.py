"""What no step may do, and what no world may be."""

from collections.abc import Callable

from tests.proof.model_check.world import MAX_FAILURES, MAX_LOSSES, Job, Step, Verb, World


def broken_by(before: World, step: Step) -> str | None:
    for name, is_broken in OF_STEPS.items():
        if is_broken(before, step):
            return name
    return None


def broken_in(world: World) -> str | None:
    if not world.job.ends and world.job.losses != sum(worker.lost for worker in world.workers):
        return "the losses are not those of workers that vanished"
    return next((name for name, is_broken in OF_JOBS.items() if is_broken(world.job)), None)


def _takes_outdated_token(before: World, step: Step) -> bool:
    return step.outdated and (step.accepted or step.after.job != before.job)


def _moves_ended_job(before: World, step: Step) -> bool:
    return bool(before.job.ends) and step.after.job != before.job


def _robs(before: World, step: Step) -> bool:
    holder = before.job.holder
    return step.verb is Verb.RESCUE and step.accepted and holder is not None and before.workers[holder].lease


def _is_held_badly(job: Job) -> bool:
    return not (job.state == "running") == job.has_token == (job.holder is not None)


def _has_effect_alone(job: Job) -> bool:
    return job.effects > job.ends.count("completed")


def _came_back_after_cancel(job: Job) -> bool:
    return job.cancel_asked and job.state in ("ready", "scheduled")


def _failed_too_often(job: Job) -> bool:
    return job.failures > MAX_FAILURES or (job.failures == MAX_FAILURES and job.ends != ("dead",))


def _was_lost_too_often(job: Job) -> bool:
    return job.losses > MAX_LOSSES or (job.losses == MAX_LOSSES and not job.ends)


OF_STEPS: dict[str, Callable[[World, Step], bool]] = {
    "an outdated token changed something": _takes_outdated_token,
    "an ended job went on": _moves_ended_job,
    "a live worker was robbed": _robs,
}
OF_JOBS: dict[str, Callable[[Job], bool]] = {
    "a job has two ends": lambda job: len(job.ends) > 1,
    "running without worker and token, or the other way round": _is_held_badly,
    "a transactional effect without its completion": _has_effect_alone,
    "a job that was asked to cancel came back": _came_back_after_cancel,
    "more failures than allowed": _failed_too_often,
    "more losses than allowed": _was_lost_too_often,
}
