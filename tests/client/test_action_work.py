"""Bulk actions: each step is one transaction, an interrupted one continues, and nothing is done twice."""

import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from holdfast.client import action_work, pager
from holdfast.client.action_request import ActionRequest
from holdfast.client.action_work import CHECKPOINT, ActionProgress, ActionWork
from holdfast.db import jobs
from holdfast.db.connect import Database
from holdfast.db.worker import load_checkpoints
from holdfast.model.action import ActionName
from holdfast.model.end_attempt import Cancelled
from holdfast.model.error import LeaseLost, NotAuthenticated
from holdfast.model.id import JobId, Token
from tests.builders import (
    Running,
    a_queue,
    completed_job,
    dead_job,
    ready_jobs,
    release,
    running_job,
    scheduled_job,
)
from tests.sql.actions import asked_action, claimed_action

Settings = dict[str, Any]
MAIL: Settings = {"filter": {"queue": "mail"}}
Interrupt = Callable[[int], Awaitable[None]]


class Killed(Exception):
    """Stands for the end of the process after a step."""


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.client.job_actions.PAGE", 2)
    monkeypatch.setattr(pager, "PAGE", 2)
    monkeypatch.setattr(action_work, "PAGE", 2)
    monkeypatch.setattr(action_work, "STEP", 2)
    monkeypatch.setattr("holdfast.client.replay.MOST_AT_ONCE", 2)


async def asked(db: Database, action: str, settings: Settings, **key: Any) -> Running:
    """A claimed action."""
    async with db.transaction() as conn:
        await asked_action(conn, action, settings, **key)
        return await claimed_action(conn)


async def claimed_again(db: Database, job: Running) -> Running:
    async with db.transaction() as conn:
        assert await release(conn, job)
        return await claimed_action(conn)


async def act(
    db: Database, job: Running, action: str, settings: Settings, interrupt: Interrupt | None = None
) -> dict[str, Any]:
    """One attempt, as the worker makes it."""
    saved = (await load_checkpoints(db, JobId(job.id))).get(CHECKPOINT, "{}")

    async def tell(done: int, _total: int | None) -> None:
        if interrupt is not None:
            await interrupt(done)

    request = ActionRequest(ActionName(action), settings, "the campaign was stopped")
    progress = ActionProgress(**json.loads(saved))
    return await ActionWork(db, JobId(job.id), Token(job.token), request, progress, tell).run()


async def stop_after_two(done: int) -> None:
    if done == 2:
        raise Killed


async def events(db: Database, cause: str) -> list[tuple[UUID, str, str]]:
    rows = await db.fetch("select job_id, actor, reason from holdfast.events where cause = $1", cause)
    return [(row["job_id"], row["actor"], row["reason"]) for row in rows]


async def test_a_cancel_that_was_interrupted_continues_and_does_nothing_twice(db: Database) -> None:
    async with db.transaction() as conn:
        theirs = [(await running_job(conn, queue="mail")).id, *await ready_jobs(conn, 4, queue="mail")]
        await ready_jobs(conn, 1, queue="other")
    # The running one is asked to stop in the first step, and must not be asked again.
    job = await asked(db, "cancel", MAIL)
    with pytest.raises(Killed):
        await act(db, job, "cancel", MAIL, stop_after_two)
    again = await claimed_again(db, job)
    result = await act(db, again, "cancel", MAIL)
    assert result == {"matched": 5, "dry_run": False, "counts": {"asked": 1, "cancelled": 4}}
    done = await events(db, "cancel")
    assert sorted(one[0] for one in done) == sorted(theirs)
    assert {one[1:] for one in done} == {("ops", "the campaign was stopped")}
    left = await db.fetch("select queue from holdfast.jobs where state = 'ready'")
    assert [row["queue"] for row in left] == ["other"]


async def test_a_dry_run_counts_and_changes_nothing(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 3, queue="mail")
    settings = {**MAIL, "dry_run": True}
    result = await act(db, await asked(db, "cancel", settings), "cancel", settings)
    assert result == {"matched": 3, "dry_run": True, "counts": {}}
    assert await events(db, "cancel") == []


async def test_jobs_that_come_later_are_left_alone(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 3, queue="mail")
    job = await asked(db, "cancel", MAIL)

    async def more_work(_done: int) -> None:
        async with db.transaction() as conn:
            await ready_jobs(conn, 2, queue="mail")

    result = await act(db, job, "cancel", MAIL, more_work)
    assert result["counts"] == {"cancelled": 3}


async def test_a_worker_that_lost_the_action_commits_nothing(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 3, queue="mail")
    job = await asked(db, "set_priority", {**MAIL, "priority": 90})

    async def lose(_done: int) -> None:
        await claimed_again(db, job)

    with pytest.raises(LeaseLost):
        await act(db, job, "set_priority", {**MAIL, "priority": 90}, lose)
    assert await events(db, "set_priority") == []


async def test_a_step_whose_lease_ends_while_it_acts_is_undone(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 2, queue="mail")
    job = await asked(db, "cancel", MAIL)
    real = jobs.cancel_jobs

    async def cancel_late(*args: Any) -> Any:
        results = await real(*args)
        await claimed_again(db, job)
        return results

    monkeypatch.setattr(jobs, "cancel_jobs", cancel_late)
    with pytest.raises(LeaseLost):
        await act(db, job, "cancel", MAIL)
    assert await events(db, "cancel") == []


async def test_a_key_that_is_revoked_in_the_middle_ends_the_action(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 4, queue="mail")
    job = await asked(db, "cancel", MAIL, queues=["mail"])

    async def revoke(done: int) -> None:
        if done == 2:
            await db.execute("select holdfast.revoke_access_key('ops')")

    with pytest.raises(NotAuthenticated):
        await act(db, job, "cancel", MAIL, revoke)
    assert len(await events(db, "cancel")) == 2


async def test_a_cancelled_action_stops_before_its_next_step(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 4, queue="mail")
    job = await asked(db, "cancel", MAIL)

    async def stop(done: int) -> None:
        if done == 2:
            await db.execute("select holdfast.cancel_jobs($1)", [job.id])

    with pytest.raises(Cancelled):
        await act(db, job, "cancel", MAIL, stop)
    assert await db.fetch("select from holdfast.jobs where queue = 'mail'") != []


async def test_ended_jobs_are_replayed_once_though_the_action_was_interrupted(db: Database) -> None:
    async with db.transaction() as conn:
        theirs = [(await completed_job(conn, queue="mail")).id for _ in range(4)]
    settings = {"filter": {"queue": "mail", "state": "completed"}}
    job = await asked(db, "replay", settings)
    with pytest.raises(Killed):
        await act(db, job, "replay", settings, stop_after_two)
    async with db.transaction() as conn:  # those that were replayed complete again before it continues
        worker = await running_job(conn, queue="elsewhere")
        await conn.execute("update holdfast.workers set queues = '{mail}' where id = $1", worker.worker)
        await conn.execute(
            """
            select holdfast.settle_and_claim($1, 0, array_agg(job_id), array_agg(token),
              array_agg('complete'::text), array_agg(null::json), array_agg(null::jsonb))
            from holdfast.claim_jobs($1, 9)
            """,
            worker.worker,
        )
    result = await act(db, await claimed_again(db, job), "replay", settings)
    assert result["counts"] == {"replayed": 4}
    assert sorted(one[0] for one in await events(db, "replay")) == sorted(theirs)


async def dead_letters(db: Database, count: int) -> list[UUID]:
    async with db.transaction() as conn:
        return [(await dead_job(conn, queue="mail")).id for _ in range(count)]


async def test_dead_letters_that_die_again_are_not_replayed_twice(db: Database) -> None:
    theirs = await dead_letters(db, 4)
    job = await asked(db, "replay_dead_letters", MAIL)
    with pytest.raises(Killed):
        await act(db, job, "replay_dead_letters", MAIL, stop_after_two)
    async with db.transaction() as conn:
        live = await conn.fetch("select id from holdfast.jobs where queue = 'mail'")
        await conn.execute(
            "select holdfast.fail_as_operator($1, 'again', 'Ada')", [row["id"] for row in live]
        )
    result = await act(db, await claimed_again(db, job), "replay_dead_letters", MAIL)
    assert result["counts"] == {"replayed": 4}
    assert sorted(one[0] for one in await events(db, "replay")) == sorted(theirs)


async def test_a_canary_is_watched_again_by_the_next_attempt_and_its_end_decides(db: Database) -> None:
    theirs = await dead_letters(db, 3)
    settings = {**MAIL, "canary": 1, "pace": 1000}
    job = await asked(db, "replay_dead_letters", settings)

    async def killed(done: int) -> None:
        if done == 1:
            raise Killed

    with pytest.raises(Killed):
        await act(db, job, "replay_dead_letters", settings, killed)
    async with db.transaction() as conn:
        await conn.execute("select holdfast.fail_as_operator($1, 'still broken', 'Ada')", [theirs[0]])
    result = await act(db, await claimed_again(db, job), "replay_dead_letters", settings)
    assert result["canaries"] == [str(theirs[0])]
    assert result["stopped"] == f"The canary {theirs[0]} ended dead."
    assert [one[0] for one in await events(db, "replay")] == [theirs[0]]


async def test_dead_letters_are_resolved_page_by_page(db: Database) -> None:
    theirs = await dead_letters(db, 5)
    settings = {"filter": {"queue": "mail"}, "status": "ignored"}
    job = await asked(db, "resolve_dead_letters", settings)
    with pytest.raises(Killed):
        await act(db, job, "resolve_dead_letters", settings, stop_after_two)
    result = await act(db, await claimed_again(db, job), "resolve_dead_letters", settings)
    assert result == {"matched": 5, "dry_run": False, "counts": {"ignored": 5}}
    assert sorted(one[0] for one in await events(db, "triage")) == sorted(theirs)


async def test_a_move_that_was_interrupted_moves_no_more_than_its_limit(db: Database) -> None:
    async with db.transaction() as conn:
        await ready_jobs(conn, 4, queue="mail")
        await scheduled_job(conn, queue="mail")
        await a_queue(conn, "slow")
    settings = {**MAIL, "to": "slow", "limit": 3}
    job = await asked(db, "move", settings)
    with pytest.raises(Killed):
        await act(db, job, "move", settings, stop_after_two)
    result = await act(db, await claimed_again(db, job), "move", settings)
    assert result == {"matched": 3, "dry_run": False, "counts": {"ready": 3}}
    assert len(await db.fetch("select from holdfast.jobs where queue = 'slow'")) == 3


@pytest.mark.parametrize(
    ("action", "more", "counts"),
    [
        ("reclaim", {}, {"reclaimed": 1}),
        ("complete", {"output": {"sent": True}}, {"completed": 2}),
        ("fail", {}, {"dead": 2}),
        ("set_priority", {"priority": 90}, {"set": 2}),
    ],
)
async def test_the_other_actions_of_operators_work_on_a_filter(
    db: Database, action: str, more: Settings, counts: dict[str, int]
) -> None:
    async with db.transaction() as conn:
        await running_job(conn, queue="mail")
        await ready_jobs(conn, 1, queue="mail")
    settings = {**MAIL, **more}
    result = await act(db, await asked(db, action, settings), action, settings)
    assert result["counts"] == counts
