"""A job keeps its id, priority and payload through all stages, and each leaves an output."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from holdfast import (
    Advance,
    Holdfast,
    JobContext,
    JobFailed,
    Pipeline,
    PipelineHandle,
    Stage,
    Worker,
)
from holdfast.db.pipelines import move_pipeline, stages_of
from holdfast.model.error import InvalidOption
from holdfast.model.state import State
from tests.worker.working import attempts_of


class Triage(BaseModel):
    score: int
    topic: str


async def drain(app: Holdfast, **options: Any) -> None:
    await Worker(app, app.queue_names, drain=True, sweep=timedelta(milliseconds=100), **options).run()


def three_stages(app: Holdfast, seen: list[tuple[Any, ...]]) -> PipelineHandle:
    """Each writes down what it sees; two are coroutines, one runs in a thread."""

    @app.task()
    async def triage(ctx: JobContext, title: str) -> Triage:
        seen.append((ctx.id, ctx.stage, title, await ctx.context))
        return Triage(score=7, topic="cats")

    @app.task()
    async def research(ctx: JobContext, title: str) -> dict[str, Any]:
        context = await ctx.context
        seen.append((ctx.id, ctx.stage, title, context))
        return {"found": context["triage"].topic}

    @app.task()
    def editorial(ctx: JobContext, title: str) -> str:
        context = ctx.blocking.context
        seen.append((ctx.id, ctx.stage, title, context))
        return f"{title}: {context['research']['found']}"

    first = Stage("triage", task=triage, output=Triage)
    others = [Stage("research", task=research), Stage("editorial", task=editorial)]
    return app.pipeline(Pipeline("posts", [first, *others]))


async def test_a_job_goes_through_all_stages_under_one_id(app: Holdfast) -> None:
    seen: list[tuple[Any, ...]] = []
    posts = three_stages(app, seen)
    await app.declare()
    handle = await posts.options(priority=80).enqueue(title="a post")
    await drain(app)
    assert {one[0] for one in seen} == {handle.id}
    assert [one[1] for one in seen] == ["triage", "research", "editorial"]
    assert {one[2] for one in seen} == {"a post"}
    job = await handle.job()
    assert (job.state, job.priority, job.payload) == (State.COMPLETED, 80, {"title": "a post"})
    assert await handle.result() == "a post: cats"
    rows = await app.database.fetch(
        "select stage, visit, output::text from holdfast.stage_outputs where job_id = $1 order by visit",
        handle.id,
    )
    assert [(row["stage"], row["visit"]) for row in rows] == [
        ("triage", 1),
        ("research", 2),
        ("editorial", 3),
    ]
    assert rows[2]["output"] == '"a post: cats"'


async def test_contexts_are_complete_ordered_and_typed(app: Holdfast) -> None:
    seen: list[tuple[Any, ...]] = []
    posts = three_stages(app, seen)
    await app.declare()
    await posts.enqueue(title="a post")
    await drain(app)
    first, second, third = (one[3] for one in seen)
    assert first == {}
    assert second == {"triage": Triage(score=7, topic="cats")}
    assert [*third] == ["triage", "research"]


async def test_a_handler_may_skip_go_back_and_end_early(app: Holdfast) -> None:
    way: list[str] = []

    @app.task()
    async def a(ctx: JobContext, n: int) -> Any:
        way.append("a")
        return ctx.advance("c", "first time") if len(way) == 1 else ctx.advance("b", "second time")

    @app.task()
    async def b(ctx: JobContext, n: int) -> Any:
        way.append("b")
        return ctx.advance(None, "over")

    @app.task()
    async def c(ctx: JobContext, n: int) -> Any:
        way.append("c")
        return ctx.advance("a", await ctx.context)

    line = app.pipeline(Pipeline("line", [Stage("a", task=a), Stage("b", task=b), Stage("c", task=c)]))
    await app.declare()
    handle = await line.enqueue(n=1)
    await drain(app)
    assert way == ["a", "c", "a", "b"]
    assert await handle.result() == "over"
    history = await app.database.fetch("select * from holdfast.load_history($1)", handle.id)
    assert [(row["what"], row["stage"], row["visit"]) for row in history] == [
        ("output", "a", 1),
        ("output", "c", 2),
        ("output", "a", 3),
        ("output", "b", 4),
    ]


async def test_a_loop_is_bounded_by_max_visits(app: Holdfast) -> None:
    @app.task()
    async def round_and_round(ctx: JobContext) -> Advance:
        return ctx.advance("again", 1)

    line = app.pipeline(Pipeline("loop", [Stage("again", task=round_and_round, max_visits=3)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    with pytest.raises(JobFailed, match='has entered the stage "again" 3 times'):
        await handle.result()
    assert (await handle.job()).state is State.DEAD
    assert len(await app.database.fetch("select from holdfast.stage_outputs")) == 2


async def test_an_unknown_stage_is_a_dead_letter_that_names_it(app: Holdfast) -> None:
    @app.task()
    async def lost(ctx: JobContext) -> Advance:
        return ctx.advance("nowhere")

    line = app.pipeline(Pipeline("lost", [Stage("a", task=lost)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    with pytest.raises(JobFailed, match="version 1 of the pipeline lost has no stage nowhere"):
        await handle.result()


async def test_an_output_that_does_not_fit_is_a_failure_that_says_why(app: Holdfast) -> None:
    @app.task(max_failures=2, retry=[0])
    async def triage(ctx: JobContext) -> Any:
        return {"score": "many", "topic": "cats"} if ctx.attempt == 1 else {"score": 3, "topic": "cats"}

    line = app.pipeline(Pipeline("line", [Stage("triage", task=triage, output=Triage)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.result() == {"score": 3, "topic": "cats"}
    assert await attempts_of(app, handle.id) == [("failed", "transient")]
    ((message,),) = await app.database.fetch("select message from holdfast.attempt_view")
    assert message.startswith(
        "The output does not fit stage triage: $.score: Input should be a valid integer"
    )


async def test_a_marker_that_is_not_returned_is_a_mistake_that_is_told(app: Holdfast) -> None:
    @app.task()
    async def forgetful(ctx: JobContext) -> None:
        ctx.advance("b")

    line = app.pipeline(Pipeline("line", [Stage("a", task=forgetful), Stage("b", task=forgetful)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    with pytest.raises(JobFailed, match=r"called ctx\.advance and returned something else"):
        await handle.result()


@pytest.mark.parametrize(("policy", "state"), [("end", State.REJECTED), ("dead", State.DEAD)])
async def test_a_stage_says_what_a_rejection_does(app: Holdfast, policy: str, state: State) -> None:
    @app.task()
    async def picky(ctx: JobContext) -> None:
        ctx.reject("spam")

    line = app.pipeline(Pipeline("line", [Stage("a", task=picky, on_reject=policy), Stage("b", task=picky)]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    job = await handle.job()
    assert (job.state, job.stage) == (state, "a")
    with pytest.raises(JobFailed, match="spam"):
        await handle.result()


async def test_a_rejection_may_be_tried_again_and_is_in_the_history(app: Holdfast) -> None:
    told: list[tuple[str, str | None]] = []

    @app.task()
    async def picky(ctx: JobContext) -> str:
        if ctx.attempt == 1:
            ctx.reject("too short")
        told.extend((one.what, one.message) for one in await ctx.history)
        return "fine"

    line = app.pipeline(Pipeline("line", [Stage("a", task=picky, on_reject="retry", retry=[0, 0])]))
    await app.declare()
    handle = await line.enqueue()
    await drain(app)
    assert await handle.result() == "fine"
    assert told == [("rejected", "too short")]


async def test_a_changed_definition_is_a_new_version_and_jobs_finish_on_theirs(app: Holdfast) -> None:
    way: list[str] = []

    @app.task()
    async def work(ctx: JobContext) -> None:
        way.append(str(ctx.stage))

    line = app.pipeline(Pipeline("line", [Stage("a", task=work), Stage("b", task=work)]))
    await app.declare()
    await line.enqueue()
    line = app.pipeline(Pipeline("line", [Stage("a", task=work), Stage("c", task=work)]))
    await app.declare()
    await app.declare()
    stages = await stages_of(app.database, "line")
    assert [(one.version, one.stage, one.is_newest) for one in stages] == [
        (2, "a", True),
        (2, "c", True),
        (1, "a", False),
        (1, "b", False),
    ]
    await Worker(app, ["line.a", "line.b"], drain=True).run()
    assert way == ["a", "b"]
    await line.enqueue()
    await drain(app)
    assert way == ["a", "b", "a", "c"]


async def test_a_stage_sets_the_policy_of_its_queue_and_takes_it_off_again(app: Holdfast) -> None:
    @app.task()
    async def work() -> None: ...

    app.queue("line.b", detail="full")
    first = Stage("a", task=work, endpoint="model", max_concurrent=4, retry=[60, 300, 900])
    app.pipeline(Pipeline("line", [first, Stage("b", task=work)]))
    await app.declare()
    a, b = await stages_of(app.database, "line")
    assert (a.endpoint, a.max_concurrent, a.retry) == ("model", 4, {"delays": [60, 300, 900]})
    assert (b.endpoint, b.max_concurrent, b.retry) == (None, None, None)
    app.pipeline(Pipeline("line", [Stage("a", task=work), Stage("b", task=work)]))
    await app.declare()
    stages = await stages_of(app.database, "line")
    assert [(one.version, one.max_concurrent, one.endpoint) for one in stages[:2]] == [(2, None, None)] * 2
    ((detail,),) = await app.database.fetch("select detail from holdfast.queue_view where name = 'line.b'")
    assert detail == "full"


async def test_two_pipelines_cannot_share_a_stage_of_one_name_in_one_queue(app: Holdfast) -> None:
    app.pipeline(Pipeline("one", [Stage("a", task="t", queue="q")]))
    with pytest.raises(InvalidOption, match="both have a stage a in the same queue"):
        app.pipeline(Pipeline("two", [Stage("a", task="t", queue="q")]))


async def test_jobs_can_be_moved_to_another_version_on_purpose(app: Holdfast) -> None:
    way: list[str] = []

    @app.task()
    async def work(ctx: JobContext) -> None:
        way.append(str(ctx.stage))

    line = app.pipeline(Pipeline("line", [Stage("a", task=work), Stage("b", task=work)]))
    await app.declare()
    handle = await line.enqueue()
    app.pipeline(Pipeline("line", [Stage("a", task=work, queue="elsewhere"), Stage("c", task=work)]))
    await app.declare()
    assert await move_pipeline(app.database, "line", 1, 2, "Ada") == (1, 0)
    assert (await handle.job()).queue == "elsewhere"
    await drain(app)
    assert way == ["a", "c"]


@pytest.mark.parametrize("visits", [0, None, True, 1001])
def test_a_stage_without_a_bound_is_refused(visits: Any) -> None:
    with pytest.raises(InvalidOption, match="max_visits of stage a must be between"):
        Stage("a", task="t", max_visits=visits)


def test_two_stages_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidOption, match="two stages with the name a"):
        Pipeline("p", [Stage("a", task="t"), Stage("a", task="t")])
