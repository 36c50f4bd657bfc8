"""All that can happen next in a world: each verb is one atomic step.

An answer may get lost: then the database has moved and the worker does not know. A dead worker does nothing
ever, and its lease ends by the clock alone. Nothing stops when the job has ended: a zombie still writes, a
rescuer that has looked still acts.
"""

from collections.abc import Iterator

from tests.proof.model_check.moves import (
    claim,
    complete,
    end,
    fail,
    fence,
    lose,
    put_back,
    renew,
    with_worker,
)
from tests.proof.model_check.world import ENDS, WORKERS, Mistake, Step, Verb, World

SETBACKS = (Verb.FAIL, Verb.RELEASE, Verb.SNOOZE)


def steps(world: World, mistake: Mistake | None = None) -> Iterator[Step]:
    for me in WORKERS:
        yield from _lease_steps(world, mistake, me)
        if world.workers[me].alive:
            yield from _life_steps(world, mistake, me)
            yield from _claim_steps(world, mistake, me)
            yield from _token_steps(world, mistake, me)
            yield from _outdated_steps(world, mistake, me)
    if mistake is not Mistake.NOBODY_RESCUES:
        yield from _rescue_steps(world, mistake)
    yield from _cancel_steps(world, mistake)
    yield from _time_steps(world, mistake)


def _lease_steps(world: World, mistake: Mistake | None, me: int) -> Iterator[Step]:
    """A live worker renews in time unless it has bad luck; a dead one never does."""
    worker = world.workers[me]
    if not worker.lease or (mistake is Mistake.DEAD_KEEP_THEIR_LEASE and not worker.alive):
        return
    ended = with_worker(world, me, worker._replace(lease=False))
    if not worker.alive:
        yield Step(Verb.LEASE_END, me, ended)
    elif world.luck.ended_leases:
        yield Step(Verb.LEASE_END, me, _spend(ended, "ended_leases"))


def _life_steps(world: World, mistake: Mistake | None, me: int) -> Iterator[Step]:
    worker = world.workers[me]
    if world.luck.crashes:
        died = with_worker(world, me, worker._replace(alive=False, knows=False, outdated=0))
        yield Step(Verb.DIE, me, _spend(died, "crashes"))
    if worker.lease:
        return  # renewing it again changes nothing
    renewed = renew(world, mistake, me)
    told = with_worker(renewed, me, renewed.workers[me]._replace(outdated=0)) if worker.rescued else renewed
    yield Step(Verb.RENEW, me, told)
    if world.luck.lost_answers:
        yield Step(Verb.RENEW, me, _spend(renewed, "lost_answers"), heard=False)


def _claim_steps(world: World, mistake: Mistake | None, me: int) -> Iterator[Step]:
    job, worker = world.job, world.workers[me]
    if job.state == "ready" and not worker.lease:
        yield Step(Verb.CLAIM, me, world, accepted=False)
    elif job.state == "ready":
        claimed = claim(world, me)
        yield Step(Verb.CLAIM, me, with_worker(claimed, me, worker._replace(knows=True)))
        if world.luck.lost_answers:
            yield Step(Verb.CLAIM, me, _spend(claimed, "lost_answers"), heard=False)
    if job.holder == me and not worker.knows and mistake is not Mistake.ORPHANS_ARE_KEPT:
        yield Step(Verb.RELEASE_UNKNOWN, me, put_back(world, mistake))


def _token_steps(world: World, mistake: Mistake | None, me: int) -> Iterator[Step]:
    """What a worker can write with the token that counts; once an end is answered it drops the token.

    A checkpoint whose answer got lost is saved again: to the model that is nothing new.
    """
    if not world.workers[me].knows or not world.job.has_token:
        return
    yield Step(Verb.WRITE, me, world)
    for verb in ENDS:
        if verb in SETBACKS and not world.luck.setbacks:
            continue
        if verb is Verb.OBEY and not world.job.cancel_asked:
            continue
        written = _written(world, mistake, verb)
        yield Step(verb, me, _answered(written, me))
        if world.luck.lost_answers:
            yield Step(verb, me, _spend(written, "lost_answers"), heard=False)


def _outdated_steps(world: World, mistake: Mistake | None, me: int) -> Iterator[Step]:
    """Refused: it is told so, and drops that token. If it is not told, it knows as much as before."""
    if not world.workers[me].outdated:
        return
    refused = _answered(world, me)
    for verb in (*ENDS, Verb.WRITE):
        after, accepted = refused, False
        if verb is Verb.COMPLETE and mistake is Mistake.OUTDATED_END and world.job.state == "running":
            after, accepted = complete(world, mistake), True
        elif verb is Verb.WRITE and mistake is Mistake.OUTDATED_WRITE and world.job.state == "running":
            accepted = True
        elif verb is Verb.COMPLETE_IN_TRANSACTION and mistake is Mistake.OUTDATED_EFFECT:
            after = refused._replace(job=world.job._replace(effects=world.job.effects + 1))
        yield Step(verb, me, after, accepted, outdated=True)


def _written(world: World, mistake: Mistake | None, verb: Verb) -> World:
    if verb is Verb.COMPLETE:
        return complete(world, mistake)
    if verb is Verb.COMPLETE_IN_TRANSACTION:
        return complete(world, mistake, effects=1)
    if verb is Verb.OBEY:
        return end(world, "cancelled")
    spent = _spend(world, "setbacks")
    if verb is Verb.FAIL:
        return fail(spent, mistake)
    return put_back(spent, mistake, "scheduled" if verb is Verb.SNOOZE else "ready")


def _rescue_steps(world: World, mistake: Mistake | None) -> Iterator[Step]:
    """First a look without locks; then, under locks, another at the lease and at the job, and the move."""
    victim, job = world.suspect, world.job
    if victim is None:
        if job.holder is not None and not world.workers[job.holder].lease:
            yield Step(Verb.LOOK, job.holder, world._replace(suspect=job.holder))
        return
    rest = world._replace(suspect=None)
    if world.workers[victim].lease and mistake is not Mistake.RESCUE_OF_THE_RENEWED:
        yield Step(Verb.RESCUE, victim, rest, accepted=False)
        return
    fenced = fence(rest, victim)
    if job.holder == victim or (mistake is Mistake.RESCUE_OF_THE_ENDED and job.ends):
        yield Step(Verb.RESCUE, victim, lose(fenced, mistake, victim))
        yield Step(Verb.PASS_OVER, victim, fenced)
    else:
        yield Step(Verb.RESCUE, victim, fenced, accepted=False)


def _cancel_steps(world: World, mistake: Mistake | None) -> Iterator[Step]:
    job = world.job
    if job.state in ("ready", "scheduled") or (job.ends and mistake is Mistake.CANCEL_OF_THE_ENDED):
        yield Step(Verb.CANCEL, None, end(world, "cancelled"))
    elif job.ends:
        yield Step(Verb.CANCEL, None, world, accepted=False)
    elif not job.cancel_asked:
        yield Step(Verb.CANCEL, None, world._replace(job=job._replace(cancel_asked=True)))


def _time_steps(world: World, mistake: Mistake | None) -> Iterator[Step]:
    job = world.job
    if job.state == "running" and job.cancel_asked:
        yield Step(Verb.FENCE_CANCELLED, None, end(world, "cancelled"))
    if job.state == "running" and world.luck.setbacks:
        yield Step(Verb.TIME_OUT, None, fail(_spend(world, "setbacks"), mistake))
    if job.state == "scheduled":
        yield Step(Verb.DUE, None, world._replace(job=job._replace(state="ready")))


def _answered(world: World, me: int) -> World:
    worker = world.workers[me]
    return with_worker(world, me, worker._replace(outdated=max(0, worker.outdated - 1)))


def _spend(world: World, what: str) -> World:
    return world._replace(luck=world.luck._replace(**{what: getattr(world.luck, what) - 1}))
