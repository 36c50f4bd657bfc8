"""Errors of the model server are classed by the one table, and no key ever shows up in them."""

import logging
import sys
from typing import Any

import pytest

from holdfast.agent import http
from holdfast.agent.agent import Agent
from holdfast.client.app import Holdfast
from holdfast.model.end_attempt import Retry
from holdfast.model.error import InvalidInput, InvalidOption, NotConfigured
from holdfast.model.state import State
from holdfast.testing import Refusal, ToolCall
from tests.agent.scene import QUEUE, scene
from tests.worker.working import attempts_of, ended, until, working

KEY = "very-secret-value-4711"


async def first_attempt(app: Holdfast) -> Any:
    async def failed() -> Any:
        return await app.database.fetch("select * from holdfast.attempt_view order by attempt limit 1")

    (row,) = await until(failed)
    return row


async def test_a_busy_server_is_waited_for_at_no_cost(app: Holdfast) -> None:
    async with scene(app, "", busy=1.0, retry_after="seconds") as s:
        handle = await s.agent(retry=[]).enqueue(title="Boats")
        async with working(app, QUEUE):
            row = await first_attempt(app)
            s.server.change(busy=0.0)
            job = await ended(handle)
        assert (row["outcome"], row["class"], row["counted"]) == ("deferred", "rate_limited", False)
        assert (row["retry_at"] - row["ended_at"]).total_seconds() >= 0.9
    assert (job.state, job.failures) == (State.COMPLETED, 0)


@pytest.mark.parametrize(("status", "state"), [(400, State.DEAD), (401, State.DEAD), (404, State.DEAD)])
async def test_what_the_server_will_never_do_is_not_tried_again(
    app: Holdfast, status: int, state: State
) -> None:
    async with scene(app, Refusal(status, "no such model")) as s:
        job = await s.run(s.agent())
        assert await attempts_of(app, job.id) == [("failed", "permanent")]
        row = await first_attempt(app)
    assert job.state is state
    assert row["message"] == f"{s.server.url}/v1/chat/completions answered {status}: no such model"


@pytest.mark.parametrize("api", ["openai", "ollama"])
@pytest.mark.parametrize("trouble", [{"error_inside": 1.0}, {"cut": 1.0}, {"outage": "refused"}])
async def test_other_troubles_are_transient(app: Holdfast, api: str, trouble: dict[str, Any]) -> None:
    async with scene(app, *[""] * 9, **trouble) as s:
        handle = await s.agent(api=api, retry=[0] * 50).enqueue(title="Boats")
        async with working(app, QUEUE):
            row = await first_attempt(app)
            s.server.change(error_inside=0.0, cut=0.0, outage="none")
            job = await ended(handle)
    assert (row["class"], job.state) == ("transient", State.COMPLETED)


@pytest.mark.parametrize(
    ("trouble", "mended"), [({"outage": "hang"}, {"outage": "none"}), ({"drip": "60s"}, {"drip": "0s"})]
)
async def test_a_server_that_hangs_or_drips_is_left_after_the_timeout(
    app: Holdfast, trouble: dict[str, Any], mended: dict[str, Any]
) -> None:
    async with scene(app, "", **trouble) as s:
        handle = await s.agent(timeout="200ms", retry=[0] * 50).enqueue(title="Boats")
        async with working(app, QUEUE):
            row = await first_attempt(app)
            s.server.change(**mended)
            job = await ended(handle)
    assert "did not answer within 0.2 s" in row["message"]
    assert job.state is State.COMPLETED


async def test_the_key_is_sent_and_is_in_no_error_log_or_table(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.setenv("MODEL_TEAM", f"team-{KEY}")
    caplog.set_level(logging.DEBUG)
    async with scene(app, Refusal(401, f"the key {KEY} of team-{KEY} is wrong")) as s:
        task = s.agent(
            api_key_env="MODEL_KEY", headers_env={"X-Team": "MODEL_TEAM"}, headers={"X-Plain": "p"}
        )
        await s.run(task)
        everything = await everything_stored(app)
    sent = s.asked[0].headers
    assert sent["authorization"] == f"Bearer {KEY}"
    assert (sent["x-team"], sent["x-plain"]) == (f"team-{KEY}", "p")
    assert "is wrong" in everything
    assert KEY not in everything
    assert KEY not in caplog.text
    assert KEY not in repr(task.handler)


async def everything_stored(app: Holdfast) -> str:
    tables = await app.database.fetch(
        "select c.oid::regclass::text as name from pg_class c"
        " where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')"
    )
    dumps = [await app.database.fetch(f"select t::text from {row['name']} as t") for row in tables]
    return "\n".join(str(row[0]) for rows in dumps for row in rows)


async def test_a_missing_key_is_this_workers_fault_and_costs_the_job_nothing(app: Holdfast) -> None:
    async with scene(app) as s:
        handle = await s.agent(api_key_env="NO_SUCH_KEY").enqueue(title="Boats")
        async with working(app, QUEUE):
            row = await first_attempt(app)
        job = await handle.job()
    assert (row["class"], row["error_type"], row["counted"]) == ("system", "NotConfigured", False)
    assert "NO_SUCH_KEY" in row["message"]
    assert (job.failures, len(s.asked)) == (0, 0)


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(NotConfigured) as caught:
        http._load()
    assert "holdfast-queue[agents]" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "localhost:8000"},
        {"url": "http://name:password@host"},
        {"api": "telepathy"},
        {"max_turns": 0},
        {"tools": [test_without_the_library_the_error_says_what_to_install, lambda: 1]},
        {"output": object()},
    ],
)
def test_a_wrong_setting_is_refused_when_the_agent_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Agent("a", **{"model": "m", "url": "http://host", **wrong})
    assert caught.value.hint


def test_a_tool_cannot_have_the_name_of_a_built_in_one() -> None:
    def reject(reason: str) -> None: ...

    with pytest.raises(InvalidOption, match="reject"):
        Agent("a", model="m", url="http://host", tools=[reject])


@pytest.mark.parametrize(
    ("trouble", "streak"),
    [
        ({"error_inside": 1.0}, 4),
        ({"cut": 1.0}, 4),
        ({"outage": "refused"}, 4),
        ({"outage": "unavailable"}, 4),
    ],
)
async def test_a_server_that_fails_is_held_against_its_endpoint(
    app: Holdfast, trouble: dict[str, Any], streak: int
) -> None:
    async with scene(app, *[""] * 9, **trouble) as s:
        assert await streak_after(app, s.agent(endpoint="llm")) == streak


@pytest.mark.parametrize(
    "reaction", [Refusal(404, "no such model"), ToolCall("look", {}), ToolCall("odd", {})]
)
async def test_what_goes_wrong_after_an_answer_is_not(app: Holdfast, reaction: Any) -> None:
    def look() -> None:
        """A tool that asked another server."""
        try:
            raise ConnectionRefusedError
        except ConnectionError as exc:
            raise Retry("later") from exc

    async with scene(app, *[reaction] * 9) as s:
        task = s.agent(endpoint="llm", tools=[look], max_turns=1)
        assert await streak_after(app, task) == 0


async def streak_after(app: Holdfast, task: Any) -> int:
    """Of an endpoint that had failed three calls in a row."""
    app.endpoint("llm", mode="fixed", max=8)
    await app.declare()
    await app.database.execute("update holdfast.endpoints set streak = 3")
    await task.enqueue(title="Boats")
    async with working(app, QUEUE):
        await first_attempt(app)
    (row,) = await app.database.fetch("select streak from holdfast.endpoints")
    return int(row["streak"])
