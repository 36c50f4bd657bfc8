"""A worker whose jobs call an endpoint: when it comes again after a refusal, and how failures are classed."""

import email.message
import logging
import urllib.error
from collections import Counter
from time import monotonic
from typing import Any

import asyncpg
import pytest

from holdfast.client.app import Holdfast
from holdfast.db.worker import settle_and_claim
from holdfast.model.error import InvalidOption
from holdfast.worker.context.job_context import JobContext
from tests.builders import a_worker, claim_one, complete
from tests.patience import PATIENCE
from tests.worker.working import attempts_of, ended, until, working


def refused(status: int, **headers: str) -> urllib.error.HTTPError:
    message = email.message.Message()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    return urllib.error.HTTPError("http://model", status, "refused", message, None)


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the worker asked the database for jobs."""
    asked: Counter[str] = Counter()

    async def counting(*args: Any) -> Any:
        asked["claims"] += 1
        return await settle_and_claim(*args)

    monkeypatch.setattr("holdfast.worker.settle.settle_loop.settle_and_claim", counting)
    return asked


@pytest.mark.slow
@pytest.mark.usefixtures("no_polls")
async def test_a_worker_refused_by_a_full_endpoint_neither_spins_nor_oversleeps(
    app: Holdfast, database_url: str, claims: Counter[str]
) -> None:
    app.endpoint("model", mode="fixed", max=1)

    @app.task(endpoint="model")
    async def ask() -> int:
        return 1

    async def has_looked(times: int) -> bool:
        return claims["claims"] >= times

    await app.declare()
    await ask.enqueue()
    conn = await asyncpg.connect(database_url)
    theirs = await claim_one(conn, await a_worker(conn))
    handle = await ask.enqueue()
    began = monotonic()
    async with working(app):
        await until(lambda: has_looked(8))
        assert monotonic() - began > 0.5, "it spins"
        assert await complete(conn, theirs)
        assert await handle.result(timeout=PATIENCE) == 1
    await conn.close()


@pytest.mark.usefixtures("no_polls")
async def test_after_retry_after_the_worker_comes_again_in_time(app: Holdfast, claims: Counter[str]) -> None:
    app.endpoint("model", mode="fixed", max=10)
    began: list[float] = []

    @app.task(endpoint="model")
    async def ask() -> None:
        began.append(monotonic())
        if len(began) == 1:
            raise refused(429, retry_after_ms="400")

    await app.declare()
    handle = await ask.enqueue()
    async with working(app):
        job = await ended(handle)
    assert (job.state, job.failures, job.deferrals) == ("completed", 0, 1)
    assert began[1] - began[0] >= 0.4
    assert await attempts_of(app, job.id) == [("deferred", "rate_limited")]
    assert claims["claims"] < 40


@pytest.mark.parametrize(
    ("status", "state", "attempts"),
    [
        (404, "dead", [("failed", "permanent")]),
        (500, "completed", [("failed", "transient")]),
        (401, "dead", [("failed", "permanent")]),
    ],
)
async def test_an_answer_decides_how_the_attempt_ends(
    app: Holdfast, status: int, state: str, attempts: list[tuple[str, str]]
) -> None:
    tries: list[int] = []

    @app.task(retry=[0])
    def ask() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise refused(status)

    handle = await ask.enqueue()
    async with working(app):
        job = await ended(handle)
    assert job.state == state
    assert await attempts_of(app, job.id) == attempts


async def test_a_task_says_itself_which_class_its_exceptions_are(app: Holdfast) -> None:
    class NotTodayError(Exception): ...

    @app.task(retry=[0], classify={NotTodayError: "permanent"})
    async def ask() -> None:
        raise NotTodayError

    handle = await ask.enqueue()
    async with working(app):
        job = await ended(handle)
    assert await attempts_of(app, job.id) == [("failed", "permanent")]


async def test_a_function_that_cannot_classify_is_told_of_and_the_failure_is_recorded(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    @app.task(max_failures=1, classify=lambda _: "nonsense")
    async def ask() -> None:
        raise ValueError("no")

    handle = await ask.enqueue()
    with caplog.at_level(logging.ERROR, "holdfast"):
        async with working(app):
            job = await ended(handle)
    assert await attempts_of(app, job.id) == [("failed", "transient")]
    assert "job.classify_failed" in caplog.text


async def test_a_rule_whose_own_exception_has_no_text_does_not_lose_the_end_of_the_attempt(
    app: Holdfast,
) -> None:
    class Unreadable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    def classify(exc: BaseException) -> str:
        raise Unreadable

    @app.task(max_failures=1, classify=classify)
    async def ask() -> None:
        raise ValueError("no")

    handle = await ask.enqueue()
    async with working(app):
        job = await ended(handle)
    assert await attempts_of(app, job.id) == [("failed", "transient")]


async def test_classes_that_do_not_exist_are_refused_at_once(app: Holdfast) -> None:
    with pytest.raises(InvalidOption):
        app.task(classify={ValueError: "odd"})


async def test_the_units_that_a_handler_reports_reach_its_endpoint(app: Holdfast) -> None:
    app.endpoint("model", estimate=100, price=0.01, budget="20 USD/day")

    @app.task(endpoint="model")
    async def ask(job: JobContext) -> None:
        job.units(250)

    await app.declare()
    handle = await ask.enqueue()
    async with working(app):
        await ended(handle)

    async def spent() -> bool:
        rows = await app.database.fetch("select spent_today from holdfast.endpoint_view")
        return bool(rows[0]["spent_today"] == pytest.approx(2.5))

    assert await until(spent)
