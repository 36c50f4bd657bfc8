"""The sweep of the model: what nobody looks after any more is taken back, what is old is forgotten."""

from datetime import timedelta
from uuid import UUID

from tests.machine.model import Model
from tests.machine.parts import QUEUES, Job, seconds


def rescue(model: Model) -> None:
    for worker in model.workers.values():
        held = model.held_by(worker)
        if held and (worker.stopped or worker.lease_until < model.now):
            worker.lost_jobs = worker.lost_jobs if worker.rescued else len(held)
            worker.rescued = True
            for job in held:
                _lose(model, job, was_alone=worker.lost_jobs == 1)
    for job in model.running():
        if job.stop_at is not None and job.stop_at < model.now - seconds(5):
            _time_out(model, job)
    for job in model.running():
        if job.cancel_asked_at and job.cancel_asked_at < model.now - QUEUES[job.queue].cancel_grace:
            model.end(job, "cancelled", "did not stop in time after a cancel request and was fenced")
    for job in [*model.jobs.values()]:
        if job.is_live and job.state != "running" and job.deadline and job.deadline < model.now:
            model.dead_letter_job(job, "deadline_passed")


def _lose(model: Model, job: Job, was_alone: bool) -> None:
    """Lost together with others it may be innocent: only the first such loss counts."""
    counts = was_alone or job.losses == 0
    job.losses += counts
    job.deferrals += not counts
    model.record(job, "lost", counts)
    if model.was_asked(job):
        return
    if job.losses >= QUEUES[job.queue].max_losses:
        model.dead_letter_job(job, "lost_too_often")
    else:
        model.put_back(job, model.now + QUEUES[job.queue].rescue_delay)
        job.is_suspect = True


def _time_out(model: Model, job: Job) -> None:
    job.failures += 1
    job.deferred_since = None
    model.record(job, "timed_out", True)
    delay = QUEUES[job.queue].delay(job.failures)
    verdict = model.verdict(job, "transient", delay)
    if verdict is not None:
        model.dead_letter_job(job, verdict)
    elif not model.was_asked(job):
        model.put_back(job, model.now + delay)


def prune(model: Model) -> int:
    old = [job for job in model.jobs.values() if _is_past(model, job)]
    for job in old:
        _forget(model, job.id)
    model.keys = {name: key for name, key in model.keys.items() if not key.is_past(model.now)}
    return len(old)


def _is_past(model: Model, job: Job) -> bool:
    letter = model.letters.get(job.id)
    is_under_triage = job.state == "dead" and letter is not None and not letter.replayed
    return bool(job.ended_at and job.ended_at < model.now - timedelta(days=30) and not is_under_triage)


def _forget(model: Model, id_: UUID) -> None:
    del model.jobs[id_]
    model.letters.pop(id_, None)
    model.progress.pop(id_, None)
    model.attempts = {name: value for name, value in model.attempts.items() if name[0] != id_}
    model.checkpoints = {name: value for name, value in model.checkpoints.items() if name[0] != id_}
