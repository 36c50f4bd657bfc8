"""Many jobs in one transaction."""

from collections.abc import Iterator
from datetime import timedelta
from enum import Enum
from itertools import pairwise
from typing import Any

import pytest

from holdfast.client import bulk
from holdfast.client.app import Holdfast
from holdfast.client.task import Call, Task
from holdfast.db.connect import Database
from holdfast.model.error import InvalidInput, InvalidPayload, UniqueConflict
from holdfast.model.state import State

Square = Task[[int], int]


class Name(str, Enum):  # noqa: UP042 - the text of a member of a StrEnum would be its value
    NEAR = "near"
    FAR = "far"


class Level(int, Enum):
    LOW = 10
    HIGH = 90


FOUND = "select count(*) as jobs, count(distinct xmin::text) as transactions from holdfast.jobs"


@pytest.fixture
def square(app: Holdfast) -> Square:
    @app.task(queue="numbers")
    async def square(n: int) -> int:
        return n * n

    return square


async def jobs_and_transactions(db: Database) -> tuple[int, int]:
    (row,) = await db.fetch(FOUND)
    return row["jobs"], row["transactions"]


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
async def test_very_many_jobs_are_one_transaction_and_progress_is_told(
    square: Square, db: Database, count: int
) -> None:
    told: list[tuple[int, int | None]] = []
    calls = [square.call(n) for n in range(count)]
    handles = await square.enqueue_many(calls, progress=lambda done, total: told.append((done, total)))
    assert await jobs_and_transactions(db) == (count, 1)
    done = [first for first, _ in told]
    steps = [after - before for before, after in pairwise([0, *done])]
    assert done[-1] == count
    assert {total for _, total in told} == {count}
    assert steps[:3] == [bulk.FIRST_JOBS, 3 * bulk.FIRST_JOBS, bulk.MOST_JOBS]
    assert set(steps[2:-1]) == {bulk.MOST_JOBS}
    assert steps[-1] <= bulk.MOST_JOBS
    assert len({handle.id for handle in handles}) == count


async def test_an_iterator_is_read_one_chunk_ahead_and_its_total_is_unknown(
    square: Square, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST_JOBS", 10)
    made: list[int] = []
    told: list[tuple[int, int | None, int]] = []

    def calls() -> Iterator[Call[int]]:
        for n in range(25):
            made.append(n)
            yield square.call(n)

    handles = await square.enqueue_many(calls(), progress=lambda *seen: told.append((*seen, len(made))))
    assert told == [(10, None, 21), (20, None, 25), (25, None, 25)]
    assert [(await handle.job()).payload["n"] for handle in handles] == [*range(25)]


async def test_a_call_that_fails_in_the_middle_leaves_nothing(
    square: Square, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST_JOBS", 10)
    loose: Any = square
    with pytest.raises(InvalidPayload):
        await square.enqueue_many(loose.call(n if n < 25 else "no") for n in range(30))
    assert await jobs_and_transactions(db) == (0, 0)


async def test_what_is_not_a_call_is_refused_with_the_way_to_make_one(
    app: Holdfast, square: Square, db: Database
) -> None:
    loose: Any = [{"n": 1}]
    for enqueue_many in (square.enqueue_many, app.enqueue_many):
        with pytest.raises(InvalidInput, match=r"takes calls of tasks \(got dict\)"):
            await enqueue_many(loose)
    assert await jobs_and_transactions(db) == (0, 0)


async def test_a_conflict_in_the_last_statement_leaves_nothing(
    square: Square, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST_JOBS", 10)
    calls = [square.call(n) for n in range(20)]
    calls += [square.options(unique_key="k").call(n) for n in (1, 2)]
    with pytest.raises(UniqueConflict):
        await square.enqueue_many(calls)
    assert await jobs_and_transactions(db) == (0, 0)


async def test_large_payloads_go_in_smaller_statements(
    app: Holdfast, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    @app.task()
    async def keep(text: str) -> None: ...

    monkeypatch.setattr(bulk, "MOST_BYTES", 1_000)
    told: list[int] = []
    calls = [keep.call("x" * 400) for _ in range(5)] + [keep.call("x" * 5_000)]
    await keep.enqueue_many(calls, progress=lambda done, _: told.append(done))
    assert told == [2, 4, 5, 6]


async def test_an_option_may_be_the_member_of_an_enum(app: Holdfast, square: Square) -> None:
    names = zip(Name, Level, strict=True)
    some = [
        square.options(queue=name, priority=level, unique_key=name, max_failures=level).call(n)
        for n, (name, level) in enumerate(names)
    ]
    handles = await app.enqueue_many(some)
    jobs = [await handle.job() for handle in handles]
    assert [(job.queue, job.priority, job.unique_key, job.max_failures) for job in jobs] == [
        ("near", 10, "near", 10),
        ("far", 90, "far", 90),
    ]


async def test_a_call_keeps_its_own_options_and_takes_the_others_from_the_task(
    app: Holdfast, square: Square
) -> None:
    calls = [square.call(1), square.options(priority=9).call(2), square.options(queue="own").call(3)]
    handles = await square.options(priority=80, queue="many").enqueue_many(calls)
    jobs = [await handle.job() for handle in handles]
    assert [(job.priority, job.queue) for job in jobs] == [(80, "many"), (9, "many"), (80, "own")]


async def test_an_app_enqueues_calls_of_several_tasks(app: Holdfast, square: Square, db: Database) -> None:
    @app.task(queue="other")
    async def keep(text: str) -> None: ...

    handles = await app.enqueue_many([square.call(1), keep.options(delay=60).call("a"), square.call(2)])
    jobs = [await handle.job() for handle in handles]
    assert [(job.task, job.queue, job.state) for job in jobs] == [
        ("square", "numbers", State.READY),
        ("keep", "other", State.SCHEDULED),
        ("square", "numbers", State.READY),
    ]
    assert await jobs_and_transactions(db) == (3, 1)


async def test_a_call_of_another_task_is_refused(app: Holdfast, square: Square) -> None:
    @app.task()
    async def cube(n: int) -> int:
        return n**3

    with pytest.raises(InvalidInput, match="cube"):
        await square.enqueue_many([cube.call(1)])


async def test_a_stagger_goes_on_over_the_statements(
    square: Square, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MOST_JOBS", 3)
    handles = await square.options(stagger=("1h", 2)).enqueue_many([square.call(n) for n in range(8)])
    jobs = [await handle.job() for handle in handles]
    assert [job.state for job in jobs[:2]] == [State.READY, State.READY]
    hours = [round((job.due_at - job.created_at) / timedelta(hours=1)) for job in jobs[2:] if job.due_at]
    assert hours == [1, 1, 2, 2, 3, 3]


async def test_nothing_to_enqueue_is_no_error(square: Square) -> None:
    assert await square.enqueue_many([]) == []


async def test_labels_that_only_python_holds_for_equal_stay_apart(square: Square) -> None:
    given = [True, 1, 1.0]
    handles = await square.enqueue_many(
        [square.options(labels={"seen": seen}).call(n) for n, seen in enumerate(given)]
    )
    stored = [(await handle.job()).labels["seen"] for handle in handles]
    assert [type(seen) for seen in stored] == [bool, int, float]
