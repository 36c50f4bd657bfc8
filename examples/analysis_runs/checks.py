"""What has to be true at the end, computed from the database and from the assistants' own record."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from asyncpg import Record

from examples.analysis_runs.app import ASSISTANTS, URGENT
from examples.analysis_runs.assistants import Assistants, job_of
from examples.analysis_runs.naive import NaiveResult
from examples.verdict import Check, Verdict
from holdfast.db.connect import Database

STOPS_AFTER = 47
RESTS = [5, 10, 20, 40]

JOBS = """
select id::text, state, attempt, losses, priority, started_at, run_id is not null as in_run,
  labels ->> 'customer' as customer
from holdfast.history
"""
LIVE = "select count(*) as jobs from holdfast.jobs"
ANSWERS = "select job::text, assistant, reply from answers"
LOSSES = """
select a.retry_at - a.ended_at as rest
from holdfast.attempts as a
join holdfast.dead_letters as d on d.job_id = a.job_id
where d.reason = 'lost_too_often' and a.outcome = 'lost'
order by a.attempt
"""
LETTERS = """
select d.job_id::text as job, d.reason, d.status, d.replaced_by::text,
  exists (select from holdfast.dead_letter_notes as n where n.job_id = d.job_id) as has_note
from holdfast.dead_letters as d
"""
# By each attempt that is on record: the last one of a job, and those that were lost or failed.
STRANGERS = """
select
  count(*) as attempts,
  count(*) filter (where w."group" is distinct from h.labels ->> 'customer') as by_strangers
from (
  select id, worker_id from holdfast.history
  union all
  select job_id, worker_id from holdfast.attempts
) as a (job, worker)
join holdfast.history as h on h.id = a.job
left join holdfast.workers as w on w.id = a.worker
"""
WORKERS = """
select
  count(*) filter (where state = 'taken') as started,
  count(*) filter (where state = 'taken' and cause = 'time_box') as successors,
  count(*) filter (where state = 'taken' and cause in ('lost', 'rescue')) as after_a_loss
from holdfast.continuation_view
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is compared with the database."""

    queries: int  # of both runs
    slots: int  # of all workers that one run has at a time
    naive: NaiveResult
    assistants: Assistants


async def judge(database: Database, evidence: Evidence) -> Verdict:
    assistants = evidence.assistants
    jobs, answers = await database.fetch(JOBS), await database.fetch(ANSWERS)
    return Verdict(
        [
            _naive(evidence.naive),
            _ended_once(jobs, evidence.queries, (await database.fetch(LIVE))[0]["jobs"]),
            _has_answers(jobs, answers),
            _given(answers, assistants),
            _asked_once(jobs, assistants),
            _went_on(jobs, (await database.fetch(WORKERS))[0]),
            _rests(await database.fetch(LOSSES)),
            _kept_checkpoint(jobs, assistants),
            _rescued(jobs),
            _urgent_first(jobs, evidence.slots),
            _apart((await database.fetch(STRANGERS))[0]),
            _resolved(jobs, await database.fetch(LETTERS)),
        ]
    )


async def single_attempt_key(database: Database, assistants: Assistants) -> str:
    """Of an answer that nothing can have asked for twice."""
    once = {row["id"] for row in await database.fetch(JOBS) if row["attempt"] == 1}
    return next(key for key in assistants.answered() if job_of(key) in once)


def _naive(naive: NaiveResult) -> Check:
    left = naive.stuck + naive.pending
    stopped = naive.completed == STOPS_AFTER and left > 0
    return Check("naive worker stops", stopped, f"after {naive.completed} queries, {left} left")


def _ended_once(jobs: Sequence[Record], queries: int, live: int) -> Check:
    """One of the queries was replaced by a corrected one, which is a job of its own."""
    wanted = queries + 1
    ends = Counter(job["id"] for job in jobs)
    once = len(ends) == len(jobs) == wanted and not live
    return Check("every query ended once", once, f"{len(jobs)} ends of {wanted} jobs, {live} still live")


def _has_answers(jobs: Sequence[Record], answers: Sequence[Record]) -> Check:
    wanted = {(job["id"], name) for job in jobs if job["state"] == "completed" for name in ASSISTANTS}
    stored = {(answer["job"], answer["assistant"]) for answer in answers}
    missing, stray = len(wanted - stored), len(stored - wanted)
    found = f"{len(stored)} stored, {missing} missing, {stray} too many"
    return Check("every completed query has answers", not (missing or stray), found)


def _given(answers: Sequence[Record], assistants: Assistants) -> Check:
    given = {(job_of(key), key.rsplit(":", 1)[1]): replies for key, replies in assistants.replies.items()}
    wrong = sum(row["reply"] not in given.get((row["job"], row["assistant"]), ()) for row in answers)
    return Check("every answer is the assistant's", not wrong, f"{len(answers)} compared, {wrong} differ")


def _asked_once(jobs: Sequence[Record], assistants: Assistants) -> Check:
    """An attempt that ended early may have lost one answer on the way to its checkpoint, and no more."""
    early = {job["id"]: job["attempt"] - 1 for job in jobs}
    extra: Counter[str] = Counter()
    for key, times in assistants.answered().items():
        extra[job_of(key)] += times - 1
    doubled = sum(max(0, times - early.get(job, 0)) for job, times in extra.items())
    found = f"{extra.total() - doubled} again after an interruption, {doubled} without"
    return Check("no reply was sent twice", not doubled, found)


def _went_on(jobs: Sequence[Record], workers: Record) -> Check:
    done = sum(job["state"] == "completed" and job["customer"] == "acme" for job in jobs)
    started, successors = workers["started"], workers["successors"]
    found = f"{done} done by {started} workers, {successors} of them successors"
    return Check("the chain goes on past 47", done > STOPS_AFTER and successors > 0, found)


def _rests(losses: Sequence[Record]) -> Check:
    rests = [None if row["rest"] is None else round(row["rest"] / timedelta(minutes=1)) for row in losses]
    found = f"{', '.join(str(rest) for rest in rests[:-1])} minutes, dead at loss {len(rests)}"
    return Check("rests after a loss", rests == [*RESTS, None], found)


def _kept_checkpoint(jobs: Sequence[Record], assistants: Assistants) -> Check:
    """The query that kills its workers does so after the first answer was saved. That one may have been asked
    for twice, if its worker left between the answer and the checkpoint.
    """
    killers = {job["id"] for job in jobs if job["losses"] == len(RESTS) + 1}
    paid = sum(times for key, times in assistants.answered().items() if job_of(key) in killers)
    found = f"{len(RESTS) + 1} workers lost, {paid} answer{'' if paid == 1 else 's'} paid for"
    return Check("a checkpoint outlives its worker", len(killers) == 1 and paid in (1, 2), found)


def _rescued(jobs: Sequence[Record]) -> Check:
    lost = [job for job in jobs if job["losses"]]
    saved = sum(job["state"] == "completed" for job in lost)
    return Check("a killed worker's queries complete", 0 < saved == len(lost) - 1, f"{saved} rescued")


def _urgent_first(jobs: Sequence[Record], slots: int) -> Check:
    """By the time of the claim, of jobs that were claimed once. Workers that claim at the same moment pass
    over each other's rows, so as many as there are slots may come early.
    """
    claimed = [job for job in jobs if job["customer"] == "acme" and job["attempt"] == 1 and job["in_run"]]
    urgent = [job["started_at"] for job in claimed if job["priority"] == URGENT]
    last = max(urgent, default=None)
    early = sum(
        job["priority"] != URGENT and last is not None and job["started_at"] < last for job in claimed
    )
    return Check("urgent queries first", last is not None and early <= slots, f"{early} others came before")


def _apart(row: Record) -> Check:
    attempts, strangers = row["attempts"], row["by_strangers"]
    found = f"{attempts} attempts, {strangers} by the other's"
    return Check("the two runs shared no worker", attempts > 0 and not strangers, found)


def _resolved(jobs: Sequence[Record], letters: Sequence[Record]) -> Check:
    completed = {job["id"] for job in jobs if job["state"] == "completed"}
    fates = {
        row["reason"]: row["status"] if row["replaced_by"] is None else "replaced"
        for row in letters
        if row["has_note"] and (row["replaced_by"] is None or row["replaced_by"] in completed)
    }
    found = ", ".join(f"{reason} {fate}" for reason, fate in sorted(fates.items()))
    good = fates == {"lost_too_often": "ignored", "permanent": "replaced"} and len(letters) == len(fates)
    return Check("dead letters triaged", good, found)
