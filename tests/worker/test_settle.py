"""The worker's turns: nothing claimed twice, nothing lost, nothing above the slots."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.state import State
from holdfast.worker import failpoint
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.outage import cut, outage
from tests.worker.working import counts, ended, in_state, until, working

ALL_DONE = 400


def once_at(point: str) -> Callable[[str], None]:
    """Breaks the connection the first time that the worker comes by."""
    seen: list[str] = []

    def hook(reached: str) -> None:
        if reached == point and not seen:
            seen.append(reached)
            raise DatabaseUnavailable("the answer got lost")

    return hook


@pytest.mark.parametrize("slots", [1, 7, 100])
async def test_every_job_runs_once_and_never_more_at_a_time_than_there_are_slots(
    app: Holdfast, slots: int
) -> None:
    ran: Counter[int] = Counter()
    running = most = 0

    @app.task()
    async def work(n: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        ran[n] += 1
        running -= 1
        return n

    count = ALL_DONE if slots > 1 else 40
    handles = await work.enqueue_many([work.call(n) for n in range(count)])
    report = await Worker(app, ["default"], slots=slots, drain=True).run()
    assert ran == Counter(range(count))
    assert most <= slots
    assert await counts(app) == {"completed": count}
    assert (report.processed, report.lost) == (count, 0)
    assert await handles[-1].result() == count - 1


async def test_an_end_whose_commit_was_not_answered_is_sent_again_and_the_job_not_run_again(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    @app.task()
    async def work() -> None:
        runs.append(1)

    monkeypatch.setattr(failpoint, "hook", once_at("after_settle"))
    handle = await work.enqueue()
    async with working(app) as worker:
        assert (await ended(handle)).state is State.COMPLETED
        await until(lambda: has_lost_one(worker))
    assert len(runs) == 1
    assert await counts(app) == {"completed": 1}


async def test_an_end_that_could_not_be_sent_is_sent_again(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []

    @app.task()
    async def work() -> None:
        runs.append(1)

    monkeypatch.setattr(failpoint, "hook", once_at("before_settle"))
    handle = await work.enqueue()
    async with working(app) as worker:
        assert (await ended(handle)).state is State.COMPLETED
    assert (len(runs), worker.report.lost) == (1, 0)


async def test_jobs_whose_claim_was_not_answered_are_given_back_uncharged_and_run(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their worker lives and renews its lease, so nobody else would ever free them."""

    @app.task()
    async def work(n: int) -> int:
        return n

    monkeypatch.setattr(failpoint, "hook", once_at("after_claim"))
    handles = await work.enqueue_many([work.call(n) for n in range(3)])
    async with working(app, slots=10):
        jobs = [await ended(handle) for handle in handles]
    assert [(job.state, job.attempt, job.losses, job.deferrals) for job in jobs] == [
        (State.COMPLETED, 2, 0, 1)
    ] * 3


async def test_an_end_that_the_database_refuses_does_not_hold_up_the_others(
    app: Holdfast, database_url: str
) -> None:
    @app.task()
    async def work(n: int) -> int:
        return n

    conn = await asyncpg.connect(database_url)
    await conn.execute("alter table holdfast.history add constraint odd check (output::text <> '13')")
    await conn.close()
    handles = await work.enqueue_many([work.call(n) for n in range(10, 20)])
    async with working(app):
        jobs = [await ended(handle) for handle in handles]
    states = {job.payload["n"]: job.state for job in jobs}
    assert states.pop(13) is State.DEAD
    assert set(states.values()) == {State.COMPLETED}


async def test_a_worker_survives_an_outage_and_sends_what_ended_meanwhile(
    app: Holdfast, server_url: str, database_url: str
) -> None:
    go, done = asyncio.Event(), asyncio.Event()

    @app.task()
    async def work() -> int:
        await go.wait()
        done.set()
        return 1

    first = await work.enqueue()
    async with working(app, lease=timedelta(seconds=30)) as worker:
        await until(in_state(first, State.RUNNING))
        async with outage(server_url, database_url):
            go.set()
            await done.wait()
        await until(lambda: reachable(app))
        assert await first.result(timeout=PATIENCE) == 1
        second = await work.enqueue()
        assert await second.result(timeout=PATIENCE) == 1
    assert ((await first.job()).attempt, worker.report.lost) == (1, 0)


async def test_losing_the_listening_session_costs_at_most_one_poll(
    app: Holdfast, server_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever uses the line next opens it again and looks at once: a maintenance task, or a poll as the last
    resort.
    """
    claims: list[int] = []

    async def noted(*args: Any) -> Any:
        answer = await settle_and_claim(*args)
        claims.append(len(answer.claimed))
        return answer

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", noted)

    @app.task()
    async def work() -> int:
        return 1

    async with working(app):
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1
        assert await cut(server_url, database_url, "holdfast worker side") == 1
        claims.clear()
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1
        assert claims.index(1) <= 1, "found by the first claim, or by the next if that one was under way"
        await until(lambda: listens(app))
        assert await (await work.enqueue()).result(timeout=PATIENCE) == 1


async def test_a_worker_holds_three_connections(app: Holdfast, database_url: str) -> None:
    @app.task()
    async def work() -> int:
        await asyncio.sleep(0.001)
        return 1

    handles = await work.enqueue_many([work.call() for _ in range(200)])
    async with working(app, slots=20, lease=timedelta(seconds=1)):
        await ended(handles[-1])
        await until(lambda: listens(app, "holdfast lease"))
        rows = await app.database.fetch(
            "select application_name from pg_stat_activity"
            " where datname = current_database() and backend_type = 'client backend'"
        )
    names = sorted(row[0] for row in rows if row[0] != "holdfast tests")
    assert names == ["holdfast lease", "holdfast worker", "holdfast worker side"]


async def has_lost_one(worker: Worker) -> bool:
    return worker.report.lost == 1


async def reachable(app: Holdfast) -> bool:
    """The app's pool finds out one broken connection at a time."""
    try:
        await app.database.fetch("select 1")
    except DatabaseUnavailable:
        return False
    return True


async def listens(app: Holdfast, name: str = "holdfast worker side") -> bool:
    rows = await app.database.fetch(
        "select application_name from pg_stat_activity"
        " where datname = current_database() and backend_type = 'client backend'"
    )
    return name in [row[0] for row in rows]
