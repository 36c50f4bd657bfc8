"""Attempts that went wrong, in groups of similar errors: how many, when, and what became of their jobs."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast.db import stats
from holdfast.db.connect import Connection
from holdfast.model.stats import ErrorPage
from tests.builders import (
    a_worker,
    claim_one,
    complete,
    dead_job,
    fail,
    ready_job,
    refusal,
    replay,
    running_job,
)
from tests.sql.conftest import Clock

HOUR = timedelta(hours=1)

# As many groups as the second parameter says, each with one attempt per round, of jobs that exist nowhere.
MANY = """
insert into holdfast.attempts (
  job_id, attempt, generation, visit, outcome, class, counted, queue, task, ended_at, error_type, message,
  fingerprint
)
select gen_random_uuid(), 1, 1, 1, 'failed', 'transient', true, 'crowd', 'task',
  holdfast.now() - i * interval '1 millisecond', 'ValueError', 'it broke', 'f' || i % $2::integer
from generate_series(1, $1::integer) as i
"""


async def groups(conn: Connection, since: timedelta = HOUR, limit: int = 20, **filters: Any) -> ErrorPage:
    return await stats.error_groups(conn, since, filters, limit, slices=6, look=100)


async def test_attempts_of_one_error_are_counted_with_their_jobs(conn: Connection) -> None:
    job = await running_job(conn, retry={"delays": [0, 0]}, queue="q")
    await fail(conn, job, message="line 1 broke")
    await fail(conn, await claim_one(conn, job.worker), message="line 2 broke")
    other = await dead_job(conn, "other", queue="p")
    first, second = (await groups(conn)).items
    assert (first.attempts, first.jobs, first.message, first.sample) == (2, 1, "line 2 broke", job.id)
    assert (first.queues, first.tasks, first.outcomes) == (["q"], ["task"], ["failed"])
    assert (first.stages, first.versions) == ([], [])
    assert (second.attempts, second.sample, second.error_class) == (1, other.id, "permanent")
    assert first.first_at <= first.last_at
    assert not first.is_partial


async def test_a_filter_and_the_span_choose(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "early", queue="q")
    await clock.advance(timedelta(hours=2))
    await dead_job(conn, "late, in File 7", queue="q", task="load")
    await dead_job(conn, "elsewhere", queue="p")
    (found,) = (await groups(conn, queue="q")).items
    assert found.message == "late, in File 7"
    fits: list[dict[str, Any]] = [
        {"task": "load"}, {"text": "FILE 7"}, {"queues": ["q", "x"]}, {"tasks": ["load"]},
        {"fingerprint": found.fingerprint}, {"queue": "q", "class": "permanent", "outcome": "failed"},
    ]  # fmt: skip
    for chosen in fits:
        (one,) = (await groups(conn, **chosen)).items
        assert one.sample == found.sample, chosen
    differs: list[dict[str, Any]] = [
        {"class": "transient"}, {"text": "early"}, {"text": "100%_"}, {"queues": []}, {"tasks": ["x"]},
        {"outcome": "lost"}, {"stage": "x"}, {"fingerprint": "x"}, {"error_type": "x"},
    ]  # fmt: skip
    for chosen in differs:
        assert (await groups(conn, **chosen)).items == [], chosen
    assert len((await groups(conn, 3 * HOUR)).items) == 3
    assert len((await groups(conn, limit=1)).items) == 1


async def test_the_total_counts_all_and_the_groups_add_up_to_it(conn: Connection, clock: Clock) -> None:
    for message in ("row 1 is bad", "row 2 is bad", "no route"):
        await dead_job(conn, message, task="load")
    found = await groups(conn)
    assert (found.total.attempts, found.total.jobs, found.total.groups) == (3, 3, 2)
    assert [group.attempts for group in found.items] == [2, 1]
    assert found.total.trend == [0, 0, 0, 0, 0, 3]
    for place in range(6):
        assert sum(group.trend[place] for group in found.items) == found.total.trend[place]
    assert not found.total.is_partial


async def test_a_trend_shows_when_and_the_period_before_is_apart(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    early = await clock.now()
    await clock.advance(timedelta(minutes=70))
    for _ in range(2):
        await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=20))
    await dead_job(conn, "it broke")
    (group,) = (await groups(conn)).items
    assert (group.attempts, group.before) == (3, 1)
    assert group.first_at <= early < group.last_at
    assert (group.trend[5], sum(group.trend[:5])) == (1, 2)


async def test_a_period_may_end_in_the_past(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=20))
    until = await clock.now()
    await dead_job(conn, "it broke")
    found = await stats.error_groups(conn, HOUR, slices=2, until=until)
    assert (found.total.attempts, found.total.trend) == (1, [0, 1])


async def test_an_error_of_the_period_before_only_is_no_group(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=70))
    found = await groups(conn)
    assert (found.total.attempts, found.total.before, found.total.groups, found.items) == (0, 1, 0, [])


async def test_without_slices_the_period_before_is_not_looked_at(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, "it broke")
    await clock.advance(timedelta(minutes=70))
    await dead_job(conn, "it broke")
    found = await stats.error_groups(conn, HOUR, slices=0)
    assert (found.total.attempts, found.total.before, found.total.trend) == (1, 0, [])


async def test_what_became_of_the_jobs_is_counted(conn: Connection) -> None:
    dead = await dead_job(conn, "it broke", queue="a")
    again = await dead_job(conn, "it broke", queue="b")
    await replay(conn, again.id)
    done = await running_job(conn, retry={"delays": [0]}, queue="c")
    await fail(conn, done, "permanent", message="it broke")
    fixed = await running_job(conn, retry={"delays": [0]}, queue="d")
    await fail(conn, fixed, message="it broke")
    assert await complete(conn, await claim_one(conn, fixed.worker))
    found = await groups(conn)
    assert sum(group.looked for group in found.items) == 4
    assert sum(group.dead for group in found.items) == 2
    assert sum(group.completed for group in found.items) == 1
    assert dead.id != done.id
    unseen = await stats.error_groups(conn, HOUR)
    assert {group.looked for group in unseen.items} == {0}


async def test_a_deferral_is_an_attempt_that_went_wrong(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ready_job(conn)
    await fail(conn, await claim_one(conn, worker), "rate_limited", message="429")
    found = await groups(conn)
    assert found.total.attempts == 1
    assert (found.items[0].error_class, sum(found.items[0].trend)) == ("rate_limited", 1)


async def test_thousands_of_groups_come_page_by_page(conn: Connection) -> None:
    await conn.execute(MANY, 7500, 5000)
    seen: list[str | None] = []
    for skip in range(0, 5000, 1000):
        found = await stats.error_groups(conn, HOUR, limit=1000, skip=skip, look=100)
        assert found.total.groups == 5000
        seen += [group.fingerprint for group in found.items]
    assert (len(seen), len({*seen})) == (5000, 5000)
    assert (await stats.error_groups(conn, HOUR, skip=5000)).items == []
    first = (await stats.error_groups(conn, HOUR, limit=1)).items[0]
    assert (first.attempts, sum(first.trend)) == (2, 2)


async def test_a_busy_period_is_looked_at_in_part(conn: Connection) -> None:
    await conn.execute(MANY, 100_001, 3)
    found = await stats.error_groups(conn, HOUR, {"text": "nothing like it"})
    assert (found.total.attempts, found.total.is_partial, found.items) == (0, True, [])
    found = await stats.error_groups(conn, HOUR)
    assert (found.total.attempts, found.total.is_partial) == (100_000, True)


@pytest.mark.parametrize(
    "call",
    [
        "max => -1", "skip => -1", "filter => '{\"colour\": 1}'", "filter => '[]'",
        "filter => jsonb_build_object('text', repeat('x', 1001))",
    ],
)  # fmt: skip
async def test_what_cannot_be_asked_for_is_refused(conn: Connection, call: str) -> None:
    exc = await refusal(conn, f"select * from holdfast.error_groups({call})")
    assert exc.sqlstate == "HF002"


@pytest.mark.parametrize("since", ["-1 hour", "0", "1000 years", "1 microsecond"])
async def test_a_span_of_any_length_is_read(conn: Connection, since: str) -> None:
    await dead_job(conn)
    found = await conn.fetch("select trend from holdfast.error_groups($1::text::interval)", since)
    assert len(found[0]["trend"]) == 30
