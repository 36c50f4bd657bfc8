"""A task with a unique_key: identical work is one job, and its callers share the result."""

from collections.abc import Callable
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler, InvalidInput, UniqueConflict
from holdfast.model.job import Job
from holdfast.pipeline.define import Pipeline, Stage
from holdfast.worker.context.job_context import JobContext
from holdfast.worker.worker import Worker


async def test_identical_work_is_one_job_and_its_callers_share_the_result(app: Holdfast) -> None:
    @app.task(unique_key=lambda repository: repository, unique_for="24h")
    async def measure(repository: str, depth: int = 1) -> str:
        return f"{repository} {depth}"

    first, second = await measure.enqueue("a"), await measure.enqueue(repository="a")
    (third,) = await measure.enqueue_many([measure.call("a")])
    (fourth, other) = await app.enqueue_many([measure.call("a"), measure.call("b")])
    shared = [first, second, third, fourth]
    assert [handle.created for handle in [*shared, other]] == [True, False, False, False, True]
    assert {handle.id for handle in shared} == {first.id}
    await Worker(app, ["default"], drain=True).run()
    assert [await handle.result() for handle in shared] == ["a 1"] * 4
    assert not (await measure.enqueue("a")).created, "the period counts from the enqueue, not to the end"
    with pytest.raises(UniqueConflict):
        await measure.enqueue("a", 2)
    (lasts,) = await app.database.fetch(
        "select expires_at - holdfast.created_at(job_id) > '23:59:00' as a_day from holdfast.unique_keys"
        " where key = 'b'"
    )
    assert lasts["a_day"]


def test_identical_work_is_one_job_without_an_event_loop_too(database_url: str) -> None:
    app = Holdfast(database_url, name="tests")

    @app.task(unique_key=lambda repository: repository)
    def measure(repository: str) -> None: ...

    first, second = measure.enqueue_sync("a"), measure.enqueue_sync("a")
    (third,) = measure.enqueue_many_sync([measure.call("a")])
    assert first.id == second.id == third.id
    app._sync.close()


async def test_a_job_that_is_dead_or_cancelled_has_no_result_to_share(app: Holdfast) -> None:
    @app.task(unique_key=lambda: "k", unique_for="24h", max_failures=1)
    async def measure() -> None:
        raise ValueError("it broke")

    cancelled = await measure.enqueue()
    await cancelled.cancel()
    dead = await measure.enqueue()
    await Worker(app, ["default"], drain=True).run()
    third = await measure.enqueue()
    assert len({cancelled.id, dead.id, third.id}) == 3


async def test_a_callers_own_unique_key_wins(app: Holdfast) -> None:
    @app.task(unique_key=lambda n: f"{n}", unique_for="24h")
    async def square(n: int) -> None: ...

    mine = square.options(unique_key="mine")
    one, same = await mine.enqueue(1), await mine.enqueue(1)
    (bulk,) = await square.enqueue_many([mine.call(1)])
    assert one.id == same.id == bulk.id != (await square.enqueue(1)).id
    assert (await one.job()).unique_key == "mine"


async def test_the_key_is_made_from_the_arguments_as_the_handler_gets_them(app: Holdfast) -> None:
    seen: list[dict[str, Any]] = []

    def key(**arguments: Any) -> str:
        seen.append(arguments)
        return "k"

    @app.task(unique_key=key)
    async def square(ctx: JobContext, n: int, digits: tuple[int, ...] = (1,), name: str = "x") -> None: ...

    await square.enqueue(1, digits=(2, 3))
    assert seen == [{"n": 1, "digits": (2, 3), "name": "x"}]


NO_FIELDS: dict[str, str] = {}
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "raises": (lambda: NO_FIELDS["repository"], r"task square raised KeyError: 'repository'\."),
    "no string": (lambda: 7, r"task square must return a string .*\(got 7\)"),
    "nothing": (lambda: None, r"got None"),
    "empty": (lambda: "", r"got ''"),
    "too long": (lambda: "ü" * 501, r"1 to 1000 bytes .*got 501 characters"),
    "unstorable": (lambda: "a\0b", r"PostgreSQL can store"),
    "half a character": (lambda: "\ud800", r"PostgreSQL can store"),
}


@pytest.mark.parametrize(("make", "message"), BAD.values(), ids=BAD.keys())
async def test_a_function_that_makes_no_key_is_refused_and_nothing_is_enqueued(
    app: Holdfast, make: Callable[[], Any], message: str
) -> None:
    @app.task(unique_key=lambda n: "good" if n else make())
    async def square(n: int) -> None: ...

    for enqueued in (
        square.enqueue(0),
        square.enqueue_many([square.call(1), square.call(0)]),
        app.enqueue_many([square.call(1), square.call(0)]),
    ):
        with pytest.raises(InvalidInput, match=message):
            await enqueued
    assert await app.jobs() == []


def test_what_can_never_make_a_key_is_refused_at_decoration() -> None:
    app = Holdfast()

    async def waits(n: int) -> str:
        return str(n)

    def handler(n: int) -> None: ...

    never: Any = "k"
    for options, message in [
        ({"unique_key": waits}, "must be a plain function"),
        ({"unique_key": never}, "must be a plain function"),
        ({"unique_key": str}, "must be a plain function"),
        ({"unique_key": lambda m: m}, "takes m, which its handler does not take"),
        ({"unique_for": "1h"}, "no unique_key"),
    ]:
        with pytest.raises(BadHandler, match=message):
            app.task(**options)(handler)
    assert app.tasks == {}


async def test_children_of_a_handler_are_one_job_too(app: Holdfast) -> None:
    @app.task(unique_key=lambda n: f"{n}")
    async def square(n: int) -> None: ...

    @app.task(queue="parents")
    async def parent(ctx: JobContext) -> list[str]:
        own = await ctx.enqueue(square, {"n": 1}, unique_key="own")
        return [str(job) for job in [own, *[await ctx.enqueue(square, {"n": 1}) for _ in range(2)]]]

    handle = await parent.enqueue()
    await Worker(app, ["parents"], drain=True).run()
    own, first, second = await handle.result()
    assert own != first == second


async def test_a_pipeline_has_the_keys_of_its_first_task_in_a_scope_of_its_own(app: Holdfast) -> None:
    @app.task(unique_key=lambda n: f"{n}")
    async def square(n: int) -> int:
        return n * n

    squares = app.pipeline(Pipeline("squares", [Stage("one", task=square)]))
    await app.declare()
    first, again, plain = await squares.enqueue(1), await squares.enqueue(1), await square.enqueue(1)
    assert first.id == again.id != plain.id
    found: Job = await first.job()
    assert found.unique_key == "1"
