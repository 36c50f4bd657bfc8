"""What a handler raises tells of its endpoint what it knows, and no more."""

import asyncio
import urllib.error
from email.message import Message
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.end_attempt import EndpointFailed, Permanent, Retry
from holdfast.model.error import DatabaseUnavailable
from holdfast.model.job import Job
from holdfast.worker.context.job_context import JobContext
from tests.worker.working import attempts_of, ended, until, working

ENDPOINT = 'select "limit", streak, circuit, evidence, last_ok, in_flight from holdfast.endpoints'


async def the_endpoint(app: Holdfast) -> dict[str, Any]:
    (row,) = await app.database.fetch(ENDPOINT)
    return dict(row)


async def five_jobs(app: Holdfast, raised: Exception) -> list[Job]:
    """The ends of five jobs that always raise it, on an endpoint that was quiet for long."""
    app.endpoint("model", max=8)

    @app.task(endpoint="model", retry=[0, 0])
    async def ask() -> None:
        raise raised

    await app.declare()
    await app.database.execute("update holdfast.endpoints set last_ok = last_ok - 60")
    handles = await ask.enqueue_many([ask.call() for _ in range(5)])
    async with working(app):
        return [await ended(handle) for handle in handles]


@pytest.mark.parametrize(
    "raised",
    [Retry("what it said is no JSON"), ValueError("no JSON"), Retry("said 200", endpoint_ok=True)],
    ids=["Retry", "ValueError", "endpoint_ok"],
)
async def test_jobs_that_fail_after_a_good_answer_die_and_the_circuit_stays_closed(
    app: Holdfast, raised: Exception
) -> None:
    jobs = await five_jobs(app, raised)
    assert [(job.state, job.failures) for job in jobs] == [("dead", 3)] * 5
    found = await the_endpoint(app)
    assert (found["circuit"], found["limit"], found["streak"], found["evidence"]) == ("closed", 2, 0, 0)


def answered(status: int) -> Exception:
    return urllib.error.HTTPError("http://model", status, "no", Message(), None)


async def refused() -> None:
    raise ConnectionRefusedError(111, "refused")


async def handled(status: int) -> None:
    try:
        raise answered(status)
    except OSError as exc:
        raise Retry("the server failed") from exc


async def raised(exc: Exception) -> None:
    raise exc


@pytest.mark.parametrize(
    ("work", "streak", "outcome"),
    [
        (lambda job: raised(EndpointFailed("it said sorry")), 4, "deferred"),
        (lambda job: raised(answered(500)), 4, "deferred"),
        (lambda job: handled(502), 4, "deferred"),
        (lambda job: refused(), 4, "deferred"),
        (lambda job: raised(answered(408)), 4, "deferred"),
        (lambda job: raised(answered(409)), 0, "failed"),
        (lambda job: raised(answered(404)), 0, "failed"),
        (lambda job: handled(409), 0, "failed"),
        (lambda job: raised(Permanent("never")), 3, "failed"),
        (lambda job: raised(DatabaseUnavailable("ours")), 3, "deferred"),
        (lambda job: raised(KeyError("choices")), 3, "failed"),
    ],
)
async def test_an_exception_tells_what_it_knows(app: Holdfast, work: Any, streak: int, outcome: str) -> None:
    assert await streak_after(app, work) == (streak, outcome)


async def said_ok(job: JobContext, exc: Exception) -> None:
    job.endpoint_ok = True
    await raised(exc)


async def test_what_the_handler_said_holds_unless_the_exception_knows_better(app: Holdfast) -> None:
    assert await streak_after(app, lambda job: said_ok(job, KeyError("choices"))) == (0, "failed")
    assert await streak_after(app, lambda job: said_ok(job, answered(500))) == (4, "deferred")


async def never(job: JobContext, ok: bool | None) -> None:
    job.endpoint_ok = ok
    await asyncio.Event().wait()


@pytest.mark.parametrize(("ok", "streak"), [(None, 4), (False, 4), (True, 0)])
async def test_a_timeout_is_held_against_the_endpoint_unless_it_had_answered(
    app: Holdfast, ok: bool | None, streak: int
) -> None:
    found, _ = await streak_after(app, lambda job: never(job, ok), timeout="50ms")
    assert found == streak


async def streak_after(app: Holdfast, work: Any, **options: Any) -> tuple[int, str]:
    """Of an endpoint that had failed three calls in a row, and how the attempt is recorded."""
    app.endpoint("model", mode="fixed", max=8)
    app.tasks.pop("ask", None)

    @app.task(name="ask", endpoint="model", max_failures=9, **options)
    async def ask(job: JobContext) -> None:
        await work(job)

    await app.declare()
    await app.database.execute("update holdfast.endpoints set streak = 3, blocked_until = 0")
    handle = await ask.enqueue()

    async def tried() -> Any:
        return await attempts_of(app, handle.id)

    async with working(app):
        ((outcome, _), *_) = await until(tried)
    return (await the_endpoint(app))["streak"], outcome
