"""The checks of the verdict: the records of the database and of the servers, compared with what was meant."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import groupby

from examples.posts_pipeline.app import STAGES
from examples.posts_pipeline.model import Post
from examples.posts_pipeline.record import Attempt, Record, visit_of
from examples.verdict import Check
from holdfast.testing.model_server import Call, Outcome

Posts = Mapping[str, Post]
"""The posts by the ids of their jobs."""


def check_all(record: Record, posts: Posts, delays: Sequence[timedelta]) -> list[Check]:
    return [
        _ends(record, posts),
        _routes(record, posts),
        _outputs(record),
        _contexts(record, posts),
        _replies(record),
        _errors(record),
        _retries(record, delays),
        _limits(record),
    ]


def _ends(record: Record, posts: Posts) -> Check:
    ends = Counter(end.job for end in record.ends)
    wrong = [
        f"job {job} has {ends[job]} ends"
        for job in posts.keys() | ends.keys()
        if ends[job] != (1 if job in posts else 0)
    ]
    states = Counter(end.state for end in record.ends)
    found = ", ".join(f"{states[state]} {state}" for state in ("completed", "rejected", "dead"))
    return _check("every post ended once", wrong, f"{len(posts)} posts, {found}")


def _routes(record: Record, posts: Posts) -> Check:
    """A rejected or dead post leaves no output at its last stage; a dead one is in the dead-letter queue."""
    wrong: list[str] = []
    visited: dict[str, tuple[str, ...]] = dict.fromkeys(posts, ())
    for job, outputs in groupby(record.outputs, key=lambda output: output.job):
        visited[job] = tuple(output.stage for output in outputs)
    for end in record.ends:
        post = posts.get(end.job)
        left = post and (post.route if post.end == "completed" else post.route[:-1])
        if post is None or (end.state, end.stage, visited[end.job]) != (post.end, post.route[-1], left):
            wrong.append(f"job {end.job} is {end.state} at {end.stage}")
    dead = {end.job for end in record.ends if end.state == "dead"}
    wrong += [f"job {job} is no dead letter" for job in dead.symmetric_difference(record.letters)]
    return _check("every post took its route", wrong, f"{len(record.outputs)} stage visits left a result")


def _outputs(record: Record) -> Check:
    given: dict[tuple[str, int], list[object]] = {}
    for key, values in record.models.written.items():
        given.setdefault(visit_of(key), []).extend(values)
    wrong = [
        f"visit {output.number} of job {output.job}"
        for output in record.outputs
        if output.value not in given.get(output.visit, [])
    ]
    return _check("every result is the model's own", wrong, f"{len(record.outputs)} compared")


def _contexts(record: Record, posts: Posts) -> Check:
    """A call has to show the latest result of each earlier stage, in the order in which they were left."""
    before: dict[str, list[tuple[int, str, object]]] = {}
    for output in record.outputs:
        before.setdefault(output.job, []).append((output.number, f"{output.stage}_result", output.value))
    wrong = []
    for key, asked in record.models.asked.items():
        job, visit = visit_of(key)
        latest: dict[str, object] = {}
        for number, name, value in before.get(job, []):
            if number < visit:
                latest.pop(name, None)
                latest[name] = value
        post = posts.get(job)
        if post is None or (asked.number, asked.context) != (post.number, [*latest.items()]):
            wrong.append(f"visit {visit} of job {job}")
    return _check("every call saw the earlier results", wrong, f"{len(record.models.asked)} calls")


def _replies(record: Record) -> Check:
    """A killed worker may lose the one reply that was on its way to it; no other is asked for again."""
    replies = Counter(call.key for call in record.calls if call.outcome is Outcome.ANSWERED)
    keys = Counter(visit_of(key) for key in replies)
    repeated = Counter(visit_of(key) for key in replies.elements()) - keys
    wrong = [f"visit {visit} of job {job}: a reply twice" for job, visit in repeated - record.lost]
    wrong += [
        f"visit {visit[1]} of job {visit[0]}: {keys[visit]} replies, {record.answers[visit]} on record"
        for visit in keys.keys() | record.answers.keys()
        if keys[visit] != record.answers[visit]
    ]
    return _check(
        "every reply was paid for once", wrong, f"{len(replies)} replies, {repeated.total()} resent"
    )


def _errors(record: Record) -> Check:
    """Each 429, each 500 and each reply that gave up ended one attempt, unless its worker was killed."""
    gave_up = Counter(map(visit_of, record.models.gave_up))
    limited, failed = record.served(429), record.served(500)
    wrong = [
        f"visit {visit} of job {job}: {seen[job, visit]} errors, {handled[job, visit]} handled"
        for seen, handled in (
            (limited, record.handled("rate_limited")),
            (failed + gave_up, record.handled("transient")),
        )
        for job, visit in seen.keys() | handled.keys()
        if not 0 <= seen[job, visit] - handled[job, visit] <= record.lost[job, visit]
    ]
    wrong += [] if limited and failed else ["no call was answered with 429 or with 500, which proves nothing"]
    found = f"{limited.total()} × 429, {failed.total()} × 500, {gave_up.total()} × the model gave up"
    return _check("every error was handled once", wrong, found)


def _retries(record: Record, delays: Sequence[timedelta]) -> Check:
    """Failures of a visit wait for one delay after the other; one more makes the post a dead letter."""
    failed = [attempt for attempt in record.attempts if attempt.outcome == "failed"]
    wrong = [
        f"job {attempt.visit[0]} was tried again too early"
        for attempt in failed
        if attempt.retry_at and attempt.next_start and attempt.next_start < attempt.retry_at
    ]
    for (job, visit), of_visit in groupby(failed, key=lambda attempt: attempt.visit):
        attempts = [*of_visit]
        gave_up = attempts[-1].retry_at is None
        in_order = all(map(_waited, attempts, delays)) and gave_up == (len(attempts) == len(delays) + 1)
        if not in_order or gave_up != (job in record.letters):
            waits = ", ".join(str(one.retry_at and one.retry_at - one.ended_at) for one in attempts)
            wrong.append(f"visit {visit} of job {job} waited {waits}")
    seconds = ", ".join(f"{delay.total_seconds():g}" for delay in delays)
    return _check("retries waited as configured", wrong, f"{len(failed)} failures, delays {seconds} s")


def _waited(attempt: Attempt, delay: timedelta) -> bool:
    """A delay counts from the failure, which lies between the attempt's start and its end on record."""
    retry_at = attempt.retry_at
    return retry_at is not None and attempt.started_at + delay <= retry_at <= attempt.ended_at + delay


def _limits(record: Record) -> Check:
    served = most_at_once(record)
    wrong = [
        f"{name} had {most[name]} at once {where}"
        for name, stage in STAGES.items()
        for where, most in (("in the database", record.leased), ("at the server", served))
        if most.get(name, 0) > stage.max_concurrent
    ]
    made = sum(end.attempts for end in record.ends)
    wrong += [f"{made} attempts were made, {record.spans} are on record"] if record.spans < made else []
    found = ", ".join(f"{name} {served[name]}/{stage.max_concurrent}" for name, stage in STAGES.items())
    return _check("limits held", wrong, found)


def most_at_once(record: Record) -> dict[str, int]:
    """Calls by stage, as the servers saw them."""
    calls: dict[str, list[Call]] = {name: [] for name in STAGES}
    for call in record.calls:
        calls[record.models.asked[call.key or ""].stage].append(call)
    return {name: _most(of_stage) for name, of_stage in calls.items()}


def _most(calls: Iterable[Call]) -> int:
    steps = sorted(step for call in calls for step in ((call.start, 1), (call.end or timedelta.max, -1)))
    most = now = 0
    for _, change in steps:
        now += change
        most = max(most, now)
    return most


def _check(name: str, wrong: Sequence[str], found: str) -> Check:
    return Check(name, not wrong, f"{len(wrong)} wrong, such as {wrong[0]}" if wrong else found)
