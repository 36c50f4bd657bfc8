"""What operators do to the model: cancel, replay, the same for runs, and moves to another queue."""

from tests.machine.model import Model
from tests.machine.parts import ENDS, QUEUES, Ends, Job, Key, Run, lead


def cancel(model: Model, job: Job, reason: str) -> str:
    if job.state in ENDS:
        return "ended"
    if job.state == "running":
        job.cancel_asked_at = job.cancel_asked_at or model.now
        return "asked"
    model.end(job, "cancelled", reason)
    return "cancelled"


def replay(model: Model, job: Job) -> str:
    if job.is_live:
        return "live"
    if not _retake_key(model, job):
        return "conflict"
    if job.run is not None:
        model.runs[job.run].counts[job.state] -= 1
    if job.id in model.letters:
        model.letters[job.id].replayed = True
    job.start_again(model.now)
    model.place(job, rank=model.now)
    return "replayed"


def _lock_order(job: Job) -> tuple[object, ...]:
    key = job.options.unique_key
    return (job.order_key or "", (job.scope, key) if key is not None else ("", ""), job.id)


def _retake_key(model: Model, job: Job) -> bool:
    """A key that is still its own stays as it is, even past its time."""
    if job.options.unique_key is None:
        return True
    name = (job.scope, job.options.unique_key)
    key = model.keys.get(name)
    if key is not None and (key.job == job.id or not key.is_expired(model.now)):
        return key.job == job.id
    model.keys[name] = Key(job.id, job.work, until_end=True)
    return True


def cancel_run(model: Model, run: Run, reason: str) -> int:
    run.sealed = True
    run.cancelled = run.cancelled or run.ended_at is None
    live = [
        job for job in model.jobs.values() if job.run == run.id and job.is_live and not job.cancel_asked_at
    ]
    for job in live:
        cancel(model, job, reason)
    return len(live)


def replay_run(model: Model, run: Run, ends: Ends) -> int:
    """In the order of the keys that are locked: a line goes on in this order, too."""
    past = sorted((job for job in model.jobs.values() if run.has_ended(job, ends)), key=_lock_order)
    replayed = sum(replay(model, job) == "replayed" for job in past)
    if replayed:
        run.generation += run.ended_at is not None
        run.ended_at, run.cancelled = None, False
    return replayed


def move(model: Model, source: str, to: str, n: int) -> tuple[int, int]:
    """Ready ones in the order of claims, then scheduled ones by age; suspects stay."""
    here = [job for job in model.jobs.values() if job.queue == source and not job.is_suspect]
    ready = sorted((job for job in here if job.state == "ready"), key=Job.claim_order)[:n]
    later = sorted((job for job in here if job.state == "scheduled"), key=lambda job: job.id)
    later = later[: n - len(ready)]
    for job in ready + later:
        ready_at = None if job.rank is None else job.rank + lead(job)
        job.queue = to
        job.rank = None if ready_at is None else ready_at - lead(job)
        if job.timeout == QUEUES[source].timeout:
            job.timeout = QUEUES[to].timeout
    return len(ready), len(later)
