"""What the verbs do, said a second time in plain Python: one clock, one thread, no tables."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from tests.machine.parts import (
    QUEUES,
    ZERO,
    Attempt,
    Job,
    Key,
    Letter,
    Line,
    Options,
    Run,
    Schedule,
    Worker,
    deferral_bounds,
    lead,
    limit_of,
    seconds,
)


class Conflict(Exception):
    """The unique key stands for a job with another payload."""


@dataclass(slots=True)
class Model:
    now: datetime
    jobs: dict[UUID, Job] = field(default_factory=dict)
    keys: dict[tuple[str, str], Key] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    runs: dict[UUID, Run] = field(default_factory=dict)
    workers: dict[UUID, Worker] = field(default_factory=dict)
    letters: dict[UUID, Letter] = field(default_factory=dict)
    attempts: dict[tuple[UUID, int], Attempt] = field(default_factory=dict)
    checkpoints: dict[tuple[UUID, str], int] = field(default_factory=dict)
    progress: dict[UUID, int] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    has_rule: bool = False
    schedule: Schedule = field(init=False)

    def __post_init__(self) -> None:
        self.schedule = Schedule(self.now)

    # The producer.

    def holder_of(self, task: str, options: Options) -> UUID | None:
        """The job that the key of an enqueue stands for already; raises Conflict if it is other work."""
        if options.unique_key is None:
            return None
        key = self.keys.get((task, options.unique_key))
        if key is None or key.is_expired(self.now):
            return None
        if key.work != (task, options.payload):
            raise Conflict
        return key.job

    def judged(self, task: str, options: Options) -> Options:
        """With the queue and priority that the rule gives: bills of 1 are urgent, and go to `full`."""
        if not self.has_rule or task != "bill" or options.payload != 1:
            return options
        queue = options.queue if "queue" in options.own else "full"
        points = 0 if "priority" in options.own else 30
        return replace(options, queue=queue, priority=min(options.priority + points, 100))

    def enqueue(self, id_: UUID, task: str, options: Options, place: int = 1) -> None:
        options = self.judged(task, options)
        timeout = QUEUES[options.queue].timeout  # a stage in another queue keeps it
        job = Job(id_, task, options, options.queue, options.group, timeout)
        job.deadline = options.deadline_at(self.now)
        self.jobs[id_] = job
        if options.unique_key is not None:
            self.keys[job.scope, options.unique_key] = Key.of(job, self.now)
        if options.run is not None:
            self.runs[options.run].total += 1
        job.due = self.now + options.delay if options.delay > ZERO else None
        self.place(job, rank=self.now + timedelta(microseconds=place))

    def place(self, job: Job, rank: datetime) -> None:
        """Ready, scheduled, or waiting behind others of its order key."""
        if job.order_key is not None and not self._join_line(job):
            job.state = "waiting"
        elif job.due is not None:
            job.state = "scheduled"
        else:
            job.state, job.rank = "ready", rank - lead(job)

    def _join_line(self, job: Job) -> bool:
        line = self.lines.setdefault(str(job.order_key), Line(job.id))
        line.last_seq += 1
        job.seq = line.last_seq
        return line.head == job.id

    # The worker.

    def has_lease(self, worker: Worker) -> bool:
        return not worker.stopped and not worker.rescued and worker.lease_until >= self.now

    def promote(self) -> int:
        due = [job for job in self.jobs.values() if job.state == "scheduled" and job.due_by(self.now)]
        for job in due:
            self.ready(job)
        return len(due)

    def lanes(self, worker: Worker) -> list[list[Job]]:
        """What it may claim, lane by lane in order."""
        lanes: dict[tuple[str, str, bool], list[Job]] = {}
        for job in self.jobs.values():
            allowed = job.queue in worker.queues and job.queue not in self.paused
            in_time = job.deadline is None or job.deadline > self.now
            if job.state == "ready" and allowed and in_time and job.group in ("", worker.group):
                lanes.setdefault((job.queue, job.group, job.is_suspect), []).append(job)
        return [sorted(lane, key=Job.claim_order) for lane in lanes.values()]

    def claim(self, worker: Worker, n: int, claimed: list[tuple[UUID, UUID]]) -> None:
        """Which lane comes first is chance. The rest is not: from its head, until it is empty or n found."""
        self.promote()
        lanes, most = self.open_lanes(worker, n)
        got = {id_ for id_, _ in claimed}
        assert len(got) == len(claimed) == min(most, sum(map(len, lanes)))
        taken = [[job.id in got for job in lane] for lane in lanes]
        assert all(flags == sorted(flags, reverse=True) for flags in taken), "not from the head of its lane"
        assert sum(any(flags) and not all(flags) for flags in taken) <= 1, "left a lane before it was empty"
        for id_, token in claimed:
            job = self.jobs[id_]
            job.state, job.worker, job.token = "running", worker.id, token
            job.attempt += 1
            job.tokens.append(token)
            job.stop_at = limit_of(job, self.now)
            if job.is_suspect:
                worker.alone_with = job.id

    def open_lanes(self, worker: Worker, n: int) -> tuple[list[list[Job]], int]:
        """A suspect comes first and alone: while it waits or runs, its worker claims nothing else."""
        lanes, held = self.lanes(worker), self.held_by(worker)
        suspects = [lane for lane in lanes if lane[0].is_suspect]
        if worker.alone_with in [job.id for job in held] or (suspects and held):
            return [], 0
        return (suspects, 1) if suspects else (lanes, n)

    def complete(self, job: Job) -> None:
        self.end(job, "completed", None)

    def reject(self, job: Job, reason: str) -> None:
        self.end(job, "rejected", reason)

    def finish_cancel(self, job: Job, reason: str) -> None:
        self.end(job, "cancelled", reason)

    def release(self, job: Job) -> None:
        """What it saved shows that it works; five in a row without that make it a suspect."""
        job.deferrals += 1
        saved = [attempt for (id_, _), attempt in self.checkpoints.items() if id_ == job.id]
        releases = 0 if job.attempt in saved else job.releases + 1
        is_suspect = job.is_suspect or releases >= 5
        if not self.was_asked(job):
            self.put_back(job, self.now)
            job.releases, job.is_suspect = releases, is_suspect

    def snooze(self, job: Job, delay: timedelta) -> None:
        job.deferrals += 1
        job.deferred_since = job.deferred_since or self.now
        if self.was_asked(job):
            return
        due = self.now + delay
        if self.now - job.deferred_since > QUEUES[job.queue].max_wait:
            self.dead_letter_job(job, "deferred_too_long")
        elif job.deadline is not None and due > job.deadline:
            self.dead_letter_job(job, "deadline_passed")
        else:
            self.put_back(job, due)

    def advance(self, job: Job, queue: str, delay: timedelta) -> None:
        if self.was_asked(job):
            return
        for name in [name for name in self.checkpoints if name[0] == job.id]:
            del self.checkpoints[name]
        job.queue, job.group = queue, ""
        job.visit += 1
        job.failures = job.losses = job.deferrals = 0
        job.deferred_since = None
        self.put_back(job, self.now + delay)

    def fail(self, job: Job, class_: str, retry_after: float | None, waited: timedelta | None) -> None:
        """`waited` is the delay that the database chose, none if it ended the job: chance adds up to 30 %."""
        counts = class_ in ("transient", "permanent")
        if counts:
            job.failures += 1
            job.deferred_since = None
            low = max(seconds(retry_after), QUEUES[job.queue].delay(job.failures))
            high = low
        else:
            job.deferrals += 1
            job.deferred_since = job.deferred_since or self.now
            low, high = deferral_bounds(job.deferrals, retry_after)
        chosen = high if waited is None else waited
        assert low <= chosen <= high, f"waits {chosen}, not {low} to {high}"
        self.record(job, "failed" if counts else "deferred", counts)
        verdict = self.verdict(job, class_, chosen)
        if verdict is not None:
            self.dead_letter_job(job, verdict)
        elif not self.was_asked(job):
            self.put_back(job, self.now + chosen)

    def verdict(self, job: Job, class_: str, delay: timedelta) -> str | None:
        if class_ == "permanent":
            return "permanent"
        if class_ == "transient" and job.failures >= job.max_failures():
            return "failed_too_often"
        if job.deferred_since and self.now + delay - job.deferred_since > QUEUES[job.queue].max_wait:
            return "deferred_too_long"
        if job.deadline is not None and self.now + delay > job.deadline:
            return "deadline_passed"
        return None

    def register(self, worker: Worker) -> None:
        before = self.workers.get(worker.id)
        if before is not None and before.rescued:
            self._forgive(before)
        self.workers[worker.id] = worker

    def renew(self, worker: Worker) -> tuple[bool, bool]:
        if worker.stopped:
            return False, False
        was_rescued = worker.rescued
        if was_rescued:
            self._forgive(worker)
        worker.rescued = False
        worker.lease_until = self.now + worker.lease
        return True, was_rescued

    def _forgive(self, worker: Worker) -> None:
        """It had not vanished: the losses of the jobs it held are deferrals, once for each job and visit."""
        forgiven = {
            (id_, attempt.visit)
            for (id_, _), attempt in self.attempts.items()
            if attempt.outcome == "forgiven"
        }
        for (id_, _), attempt in sorted(self.attempts.items()):
            is_new = (id_, attempt.visit) not in forgiven
            if attempt.worker == worker.id and attempt.outcome == "lost" and is_new:
                forgiven.add((id_, attempt.visit))
                self._forgive_one(self.jobs[id_], attempt)

    def _forgive_one(self, job: Job, attempt: Attempt) -> None:
        was_counted = attempt.counted
        attempt.outcome, attempt.counted = "forgiven", False
        if job.is_live and job.visit == attempt.visit:
            job.losses -= was_counted
            job.deferrals += was_counted
            job.is_suspect = job.is_suspect and job.state not in ("ready", "scheduled")

    def stop(self, worker: Worker) -> int:
        held = self.held_by(worker)
        for job in held:
            self.release(job)
        worker.stopped = True
        return len(held)

    def held_by(self, worker: Worker) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "running" and job.worker == worker.id]

    # What the verbs share.

    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "running"]

    def ready(self, job: Job) -> None:
        """Due, or given back."""
        job.stop()
        job.state, job.rank, job.due = "ready", self.now - lead(job), None

    def put_back(self, job: Job, due: datetime) -> None:
        """An attempt that ended by itself clears a suspect."""
        if job.state == "running":
            job.releases, job.is_suspect = 0, False
        if due <= self.now:
            self.ready(job)
        else:
            job.stop()
            job.state, job.rank, job.due = "scheduled", None, due

    def was_asked(self, job: Job) -> bool:
        """A job that was asked to cancel does not come back."""
        if job.cancel_asked_at is not None:
            self.end(job, "cancelled", "asked to cancel while running")
        return job.cancel_asked_at is not None

    def record(self, job: Job, outcome: str, counted: bool) -> None:
        self.attempts[job.id, job.attempt] = Attempt(outcome, counted, job.worker, job.visit)

    def dead_letter_job(self, job: Job, reason: str) -> None:
        self.end(job, "dead", reason)
        self.letters[job.id] = Letter(job.generation, reason)

    def end(self, job: Job, state: str, reason: str | None) -> None:
        job.stop()
        job.state, job.reason, job.ended_at = state, reason, self.now
        if job.run is not None:
            self.runs[job.run].counts[state] += 1
        name = (job.scope, str(job.options.unique_key))
        if name in self.keys and self.keys[name].job == job.id and self.keys[name].ends_with(state):
            del self.keys[name]
        if job.order_key is not None:
            self.move_up(job.order_key)

    def move_up(self, order_key: str) -> None:
        line = self.lines[order_key]
        if self.jobs[line.head].is_live:
            return
        waiting = [job for job in self.jobs.values() if job.order_key == order_key and job.state == "waiting"]
        if not waiting:
            del self.lines[order_key]
            return
        head = min(waiting, key=lambda job: job.seq)
        line.head = head.id
        self.put_back(head, head.due or self.now)
