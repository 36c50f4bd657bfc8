"""Fan-out to stages and to spawned children; the parent waits without a worker and gets their outputs."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast import ChildFailed, Holdfast, JobContext, JobFailed, Permanent, Pipeline, Reject, Stage, Worker
from holdfast.model.error import InvalidOption
from holdfast.model.queue import ReplayResult
from holdfast.model.state import State

SHORT = timedelta(milliseconds=100)


async def drain(app: Holdfast, **options: Any) -> None:
    await Worker(app, app.queue_names, drain=True, sweep=SHORT, **options).run()


def fan(app: Holdfast, **options: Any) -> Any:
    """start → (left, right) → join, with `left` as the options say."""

    @app.task()
    async def start(ctx: JobContext, n: int) -> Any:
        return ctx.advance(["right", "left"], {"n": n}, **options)

    @app.task()
    async def left(ctx: JobContext, n: int) -> Any:
        if n < 0:
            raise Permanent("no")
        return (await ctx.context)["start"]["n"] + 1

    @app.task()
    async def right(ctx: JobContext, n: int) -> int:
        return n * 10

    @app.task()
    async def join(ctx: JobContext, n: int) -> dict[str, Any]:
        return dict(await ctx.context)

    stages = [Stage(task.name, task=task) for task in (start, left, right, join)]
    return app.pipeline(Pipeline("fan", stages))


async def test_several_next_stages_run_as_children_and_the_job_goes_on_after_them(app: Holdfast) -> None:
    line = fan(app)
    await app.declare()
    handle = await line.options(priority=70, labels={"of": "Ada"}).enqueue(n=4)
    await drain(app)
    assert await handle.result() == {"start": {"n": 4}, "left": 5, "right": 40}
    children = await app.database.fetch(
        "select stage, priority, labels, pipeline from holdfast.history where parent_id = $1 order by stage",
        handle.id,
    )
    assert [(row["stage"], row["priority"], row["pipeline"]) for row in children] == [
        ("left", 70, None),
        ("right", 70, None),
    ]
    assert {row["labels"] for row in children} == {'{"of": "Ada"}'}


async def test_a_job_is_replayed_from_the_stage_that_fans_out_or_from_the_one_after(app: Holdfast) -> None:
    line = fan(app)
    await app.declare()
    handle = await line.enqueue(n=4)
    await drain(app)
    visits = "select count(*) from holdfast.stage_outputs where job_id = $1 and stage = 'start'"
    for stage, starts in (("start", 2), ("join", 2)):
        assert await handle.replay("look again", stage=stage) is ReplayResult.REPLAYED
        await drain(app)
        found = await handle.result()
        assert (found["left"], found["right"]) == (5, 40)
        assert (await app.database.fetch(visits, handle.id))[0]["count"] == starts
    with pytest.raises(InvalidOption, match="has no stage z"):
        await handle.replay(stage="z")


async def test_a_pipeline_may_end_with_the_stages_that_it_fanned_out_to(app: Holdfast) -> None:
    @app.task()
    async def start(ctx: JobContext) -> Any:
        return ctx.advance(["a", "b"])

    @app.task()
    async def work(ctx: JobContext) -> str:
        return f"from {ctx.stage}"

    line = app.pipeline(
        Pipeline("ends", [Stage("start", task=start), Stage("a", task=work), Stage("b", task=work)])
    )
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.result() == {"a": "from a", "b": "from b"}


async def test_a_failed_branch_fails_the_job_unless_it_is_ignored(app: Holdfast) -> None:
    line = fan(app)
    await app.declare()
    handle = await line.enqueue(n=-1)
    await drain(app)
    with pytest.raises(JobFailed, match="1 of the 2 stages that it fanned out to did not complete"):
        await handle.result()


async def test_a_failed_branch_can_be_ignored(app: Holdfast) -> None:
    line = fan(app, on_failure="ignore")
    await app.declare()
    handle = await line.enqueue(n=-1)
    await drain(app)
    assert await handle.result() == {"start": {"n": -1}, "right": -10}


async def test_a_job_can_wait_until_a_failed_branch_is_replayed(app: Holdfast) -> None:
    is_well = False

    @app.task()
    async def start(ctx: JobContext) -> Any:
        return ctx.advance(["a"], on_failure="wait")

    @app.task()
    async def a() -> str:
        if not is_well:
            raise Permanent("not yet")
        return "done"

    line = app.pipeline(Pipeline("wait", [Stage("start", task=start), Stage("a", task=a)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.status() is State.WAITING
    is_well = True
    ((child,),) = await app.database.fetch("select id from holdfast.history where stage = 'a'")
    await app.job(child).replay()
    await drain(app)
    assert await handle.result() == {"a": "done"}


async def test_a_branch_cannot_leave_its_stage(app: Holdfast) -> None:
    @app.task()
    async def start(ctx: JobContext) -> Any:
        return ctx.advance(["a"], on_failure="ignore")

    @app.task()
    async def a(ctx: JobContext) -> Any:
        return ctx.advance("start")

    line = app.pipeline(Pipeline("branch", [Stage("start", task=start), Stage("a", task=a)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.status() is State.COMPLETED
    ((message,),) = await app.database.fetch("select message from holdfast.attempt_view")
    assert message.startswith("The next stage is impossible: the job is a branch")


async def test_spawned_children_deliver_their_outputs_in_order(app: Holdfast) -> None:
    starts = 0

    @app.task()
    async def square(n: int) -> int:
        return n * n

    @app.task()
    async def total(ctx: JobContext, most: int) -> list[int]:
        nonlocal starts
        starts += 1
        first = await ctx.spawn(square, [{"n": n} for n in range(most)])
        second = await ctx.spawn(square, [{"n": sum(first)}])
        return [sum(first), *second]

    handle = await total.enqueue(most=5)
    await drain(app)
    assert await handle.result() == [30, 900]
    assert starts == 3
    job = await handle.job()
    assert (job.failures, job.deferrals, job.attempt) == (0, 0, 3)


async def test_a_thousand_children_fan_in(app: Holdfast) -> None:
    @app.task()
    async def half(n: int) -> int:
        return n // 2

    @app.task()
    async def all_halves(ctx: JobContext) -> int:
        return sum(await ctx.spawn(half, [{"n": n} for n in range(1000)]))

    handle = await all_halves.enqueue()
    await drain(app, slots=100)
    assert await handle.result() == sum(n // 2 for n in range(1000))
    ((n,),) = await app.database.fetch(
        "select count(*) from holdfast.history where parent_id = $1", handle.id
    )
    assert n == 1000


async def test_nothing_spawned_is_nothing_to_wait_for(app: Holdfast) -> None:
    @app.task()
    async def parent(ctx: JobContext) -> list[Any]:
        return await ctx.spawn("never", [])

    handle = await parent.enqueue()
    await drain(app)
    assert await handle.result() == []
    assert (await handle.job()).attempt == 1


async def test_a_child_that_failed_raises_in_the_handler_and_a_rejected_one_answers_nothing(
    app: Holdfast,
) -> None:
    @app.task()
    async def child(n: int) -> int:
        if n == 1:
            raise Permanent("broken")
        if n == 2:
            raise Reject("not for us")
        return n

    @app.task()
    async def careful(ctx: JobContext) -> Any:
        ignored = await ctx.spawn(child, [{"n": 0}, {"n": 1}, {"n": 2}], on_failure="ignore")
        try:
            await ctx.spawn(child, [{"n": 1}])
        except ChildFailed as exc:
            return [ignored, str(exc)]

    handle = await careful.enqueue()
    await drain(app)
    outputs, said = await handle.result()
    assert outputs == [0, None, None]
    assert said.startswith("1 of 1 children did not complete: ")
    assert "is dead: permanent" in said


async def test_the_first_child_is_enough_and_the_others_are_cancelled(app: Holdfast) -> None:
    @app.task(queue="quick")
    async def racer(n: int) -> int:
        return n

    @app.task()
    async def race(ctx: JobContext) -> Any:
        return await ctx.spawn(racer, [{"n": n} for n in range(3)], wait="first", queue="quick")

    handle = await race.enqueue()
    await Worker(app, ["default"], drain=True).run()
    await Worker(app, ["quick"], once=True, slots=1).run()
    await Worker(app, ["default"], drain=True, sweep=SHORT).run()
    (winner,) = await handle.result()
    ends = await app.database.fetch(
        "select state, reason from holdfast.history where parent_id = $1 and state <> 'completed'", handle.id
    )
    assert winner == 0
    assert [(row["state"], row["reason"]) for row in ends] == [("cancelled", "another child was first")] * 2


async def test_the_children_of_a_cancelled_job_are_cancelled(app: Holdfast) -> None:
    @app.task()
    async def parent(ctx: JobContext) -> None:
        await ctx.spawn("unknown", [{}, {}], queue="nobody")

    handle = await parent.enqueue()
    await drain(app)
    assert await handle.status() is State.WAITING
    await handle.cancel("changed our mind")
    rows = await app.database.fetch(
        "select state, reason from holdfast.history where parent_id = $1", handle.id
    )
    assert [(row["state"], row["reason"]) for row in rows] == [("cancelled", "its parent has ended")] * 2


async def test_children_are_made_once_however_often_the_handler_runs(app: Holdfast) -> None:
    @app.task()
    async def child() -> None:
        return None

    @app.task(retry=[0, 0])
    async def parent(ctx: JobContext) -> str:
        await ctx.spawn(child, [{}, {}], name="pair")
        if ctx.failures == 0:
            raise ValueError("after the children")
        return "done"

    handle = await parent.enqueue()
    await drain(app)
    assert await handle.result() == "done"
    ((n,),) = await app.database.fetch(
        "select count(*) from holdfast.history where parent_id = $1", handle.id
    )
    assert n == 2
