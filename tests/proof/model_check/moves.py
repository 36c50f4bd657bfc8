"""What the verbs do in the database: from one world to the next."""

from tests.proof.model_check.world import (
    MAX_FAILURES,
    MAX_LOSSES,
    Mistake,
    Worker,
    World,
)


def claim(world: World, me: int) -> World:
    return world._replace(job=world.job._replace(state="running", holder=me, has_token=True))


def complete(world: World, mistake: Mistake | None, effects: int = 0) -> World:
    done = world._replace(job=world.job._replace(effects=world.job.effects + effects))
    ended = end(done, "completed")
    if mistake is Mistake.TOKEN_OUTLIVES_END:
        return world._replace(job=ended.job._replace(has_token=True))
    return ended


def fail(world: World, mistake: Mistake | None) -> World:
    """Too many failures are an end, also of a job that was asked to cancel."""
    job = world.job._replace(failures=world.job.failures + 1)
    failed = world._replace(job=job)
    if job.failures >= MAX_FAILURES and mistake is not Mistake.FAILURES_UNLIMITED:
        return end(failed, "dead")
    return put_back(failed, mistake, "scheduled")


def lose(world: World, mistake: Mistake | None, victim: int) -> World:
    job, worker = world.job, world.workers[victim]
    job = job._replace(losses=job.losses + (mistake is not Mistake.LOSSES_UNCOUNTED))
    told = with_worker(world._replace(job=job), victim, worker._replace(lost=worker.lost + 1))
    if job.losses >= MAX_LOSSES and not job.cancel_asked and mistake is not Mistake.LOSSES_UNLIMITED:
        return end(told, "dead")
    return put_back(told, mistake)


def fence(world: World, victim: int) -> World:
    return with_worker(world, victim, world.workers[victim]._replace(rescued=True))


def renew(world: World, mistake: Mistake | None, me: int) -> World:
    """A worker that was rescued is forgiven its losses, and what it still holds is put back."""
    worker = world.workers[me]
    if worker.rescued:
        if not world.job.ends:
            losses = max(0, world.job.losses - worker.lost)
            world = world._replace(job=world.job._replace(losses=losses))
        if world.job.holder == me:
            world = put_back(world, mistake)
        lost = worker.lost if mistake is Mistake.FORGIVEN_TWICE else 0
        worker = world.workers[me]._replace(lost=lost)
    return with_worker(world, me, worker._replace(lease=True, rescued=False))


def put_back(world: World, mistake: Mistake | None, state: str = "ready") -> World:
    """A job that was asked to cancel does not come back."""
    if world.job.cancel_asked and mistake is not Mistake.CANCEL_FORGOTTEN:
        return end(world, "cancelled")
    return _take_token(world._replace(job=world.job._replace(state=state, holder=None)))


def end(world: World, state: str) -> World:
    job = world.job._replace(state=state, holder=None, ends=(*world.job.ends, state))
    return _take_token(world._replace(job=job))


def _take_token(world: World) -> World:
    """It counts no more; whoever has it does not know that."""
    for me, worker in enumerate(world.workers):
        if worker.knows:
            world = with_worker(world, me, worker._replace(knows=False, outdated=worker.outdated + 1))
    return world._replace(job=world.job._replace(has_token=False))


def with_worker(world: World, me: int, worker: Worker) -> World:
    first, second = world.workers
    return world._replace(workers=(worker, second) if me == 0 else (first, worker))
