"""The lease protocol as a model: one job, two workers, a rescuer, a canceller; each verb is one atomic step.

An answer may get lost: then the database has moved and the worker does not know. What may go wrong is bounded
by `Luck`, so that all schedules end. `Rules` can be broken, one by one: the search must find it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

MAX_FAILURES = 2
MAX_LOSSES = 2
WORKERS = (0, 1)


@dataclass(frozen=True, slots=True)
class Rules:
    """All true in the protocol as it is."""

    ends_carry_token: bool = True
    effects_carry_token: bool = True
    rescue_looks_again: bool = True
    losses_count: bool = True
    orphans_are_released: bool = True
    end_removes_the_job: bool = True


@dataclass(frozen=True, slots=True)
class Luck:
    """What may still go wrong."""

    lost_answers: int = 1
    ended_leases: int = 2
    crashes: int = 1
    failures: int = 1
    releases: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """What the database holds. Tokens are the numbers of their claims."""

    state: str = "ready"
    attempt: int = 0
    token: int | None = None
    worker: int | None = None
    failures: int = 0
    losses: int = 0
    cancel_asked: bool = False
    effects: int = 0
    ends: tuple[str, ...] = ()
    letters: int = 0


@dataclass(frozen=True, slots=True)
class Worker:
    """`lease`, `rescued`, `lost`: what the database holds of it; `runs`: the tokens it believes to hold."""

    lease: bool = True
    rescued: bool = False
    lost: int = 0
    runs: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class World:
    job: Job = field(default_factory=Job)
    workers: tuple[Worker, ...] = (Worker(), Worker())
    suspect: int | None = None  # whom the rescuer has found, without a lock
    luck: Luck = field(default_factory=Luck)


@dataclass(frozen=True, slots=True)
class Step:
    """`by`: the token under which it wrote, if it was a worker's write. `robbed`: whose job was taken."""

    name: str
    after: World
    by: int | None = None
    robbed: int | None = None


def steps(world: World, rules: Rules) -> Iterator[Step]:
    """All that can happen next. After the end only late writes can do harm."""
    for me in WORKERS:
        for token in world.workers[me].runs:
            yield from _write_steps(world, rules, me, token)
    if world.job.ends:
        return
    for me in WORKERS:
        yield from _lease_steps(world, rules, me)
        yield from _claim_steps(world, me)
    yield from _rescue_steps(world, rules)
    yield from _cancel_steps(world)


def _lease_steps(world: World, rules: Rules, me: int) -> Iterator[Step]:
    worker, luck = world.workers[me], world.luck
    if worker.lease and luck.ended_leases:
        spent = replace(world, luck=replace(luck, ended_leases=luck.ended_leases - 1))
        yield Step(f"the lease of {me} ends", _with(spent, me, replace(worker, lease=False)))
    if luck.crashes and (worker.runs or world.job.worker == me):
        # Its successor is another worker; here it is one whose lease has ended and who knows nothing.
        spent = replace(world, luck=replace(luck, crashes=luck.crashes - 1))
        yield Step(f"{me} is killed", _with(spent, me, replace(worker, lease=False, runs=frozenset())))
    renewed = _renew(world, me)
    told = replace(renewed.workers[me], runs=frozenset()) if worker.rescued else renewed.workers[me]
    yield Step(f"{me} renews", _with(renewed, me, told))
    yield from _unheard(f"{me} renews", renewed)
    if rules.orphans_are_released and world.job.worker == me and world.job.token not in worker.runs:
        yield Step(f"{me} releases what it holds unknowingly", _put_back(world))


def _claim_steps(world: World, me: int) -> Iterator[Step]:
    job, worker = world.job, world.workers[me]
    if job.state != "ready" or not worker.lease:
        return
    token = job.attempt + 1
    claimed = replace(world, job=replace(job, state="running", attempt=token, token=token, worker=me))
    yield Step(f"{me} claims", _with(claimed, me, replace(worker, runs=worker.runs | {token})))
    yield from _unheard(f"{me} claims", claimed)


def _write_steps(world: World, rules: Rules, me: int, token: int) -> Iterator[Step]:
    """The ends that a worker can send under a token it believes in; once answered it forgets the token."""
    done = replace(world.workers[me], runs=world.workers[me].runs - {token})
    for name, written in _ends(world, rules, token):
        yield Step(f"{me} {name} with token {token}", _with(written, me, done), by=token)
        for step in _unheard(f"{me} {name} with token {token}", written):
            yield replace(step, by=token)


def _ends(world: World, rules: Rules, token: int) -> Iterator[tuple[str, World]]:
    luck = world.luck
    is_ours = world.job.token == token
    passes = is_ours or (not rules.ends_carry_token and world.job.state == "running")
    yield "completes", _complete(world, rules, 0) if passes else world
    effect_only = replace(world, job=replace(world.job, effects=world.job.effects + 1))
    refused = world if rules.effects_carry_token else effect_only
    yield "completes in its transaction", _complete(world, rules, 1) if is_ours else refused
    if luck.failures:
        spent = replace(world, luck=replace(luck, failures=luck.failures - 1))
        yield "fails", _fail(spent) if passes else spent
    if luck.releases:
        spent = replace(world, luck=replace(luck, releases=luck.releases - 1))
        yield "releases", _put_back(spent) if passes else spent


def _rescue_steps(world: World, rules: Rules) -> Iterator[Step]:
    """First a look without locks; then, under a lock, another one, and the move."""
    job = world.job
    for victim in WORKERS:
        if job.worker == victim and not world.workers[victim].lease:
            yield Step(f"the rescuer finds {victim}", replace(world, suspect=victim))
    if world.suspect is None:
        return
    victim, rest = world.suspect, replace(world, suspect=None)
    may = job.worker == victim and not world.workers[victim].lease
    if may or (not rules.rescue_looks_again and job.state == "running"):
        yield Step("the rescuer takes the job", _lose(rest, rules, victim), robbed=job.worker)
    else:
        yield Step("the rescuer leaves it", rest)


def _cancel_steps(world: World) -> Iterator[Step]:
    job = world.job
    if job.state == "ready":
        yield Step("the canceller ends it", _end(world, "cancelled"))
    elif job.state == "running" and not job.cancel_asked:
        yield Step("the canceller asks", replace(world, job=replace(job, cancel_asked=True)))
    elif job.state == "running":
        yield Step("the grace after a cancel is over", _end(world, "cancelled"))


def _unheard(name: str, written: World) -> Iterator[Step]:
    """The same without an answer: only the database knows of it."""
    if written.luck.lost_answers:
        spent = replace(written.luck, lost_answers=written.luck.lost_answers - 1)
        yield Step(f"{name}, and hears nothing", replace(written, luck=spent))


def _renew(world: World, me: int) -> World:
    """A worker that was rescued is forgiven its losses, and what it still holds is put back."""
    worker, job = world.workers[me], world.job
    if worker.rescued:
        forgiven = replace(world, job=replace(job, losses=max(0, job.losses - worker.lost)))
        world = _put_back(forgiven) if job.worker == me else forgiven if not job.ends else world
        worker = replace(worker, lost=0)
    return _with(world, me, replace(worker, lease=True, rescued=False))


def _complete(world: World, rules: Rules, effects: int) -> World:
    ended = _end(replace(world, job=replace(world.job, effects=world.job.effects + effects)), "completed")
    if rules.end_removes_the_job:
        return ended
    return replace(
        ended, job=replace(ended.job, state="running", token=world.job.token, worker=world.job.worker)
    )


def _fail(world: World) -> World:
    job = replace(world.job, failures=world.job.failures + 1)
    if job.failures >= MAX_FAILURES:
        return _end(replace(world, job=job), "dead")
    return _put_back(replace(world, job=job))


def _lose(world: World, rules: Rules, victim: int) -> World:
    job = replace(world.job, losses=world.job.losses + rules.losses_count)
    worker = world.workers[victim]
    told = _with(replace(world, job=job), victim, replace(worker, rescued=True, lost=worker.lost + 1))
    return _end(told, "dead") if job.losses >= MAX_LOSSES and not job.cancel_asked else _put_back(told)


def _put_back(world: World) -> World:
    if world.job.cancel_asked:
        return _end(world, "cancelled")
    return replace(world, job=replace(world.job, state="ready", token=None, worker=None))


def _end(world: World, state: str) -> World:
    job = world.job
    return replace(
        world,
        job=replace(
            job,
            state=state,
            token=None,
            worker=None,
            ends=(*job.ends, state),
            letters=job.letters + (state == "dead"),
        ),
    )


def _with(world: World, me: int, worker: Worker) -> World:
    return replace(world, workers=tuple(worker if n == me else w for n, w in enumerate(world.workers)))
