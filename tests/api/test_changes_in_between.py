"""A job is moved out of a key's scope after the check of a request and before what the request does."""

from typing import Any

import pytest
from httpx2 import AsyncClient

from holdfast.client import replay
from holdfast.client.app import Holdfast
from holdfast.db import dead, jobs, pipelines, runs, stats
from tests.api.conftest import MakeKey
from tests.api.in_between import (
    API,
    MOVE,
    Deed,
    a_job,
    a_letter,
    a_run,
    first,
    send,
    state_and_queue,
    world,
)
from tests.builders import dead_job
from tests.stage_builders import a_pipeline


@pytest.fixture
async def job(app: Holdfast) -> str:
    return await a_job(app)


@pytest.fixture
async def letter(app: Holdfast) -> str:
    return await a_letter(app)


@pytest.fixture
def move(app: Holdfast) -> Deed:
    return lambda: app.database.execute(MOVE)


@pytest.mark.parametrize(
    ("module", "verb", "path"),
    [
        (jobs, "get_job", ""),
        (jobs, "job_states", "/state"),
        (jobs, "get_job", "/result"),
        (stats, "explain", "/explain"),
        (stats, "timeline", "/timeline"),
    ],
)
async def test_a_job_that_leaves_the_scope_is_not_read(
    http: AsyncClient,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    verb: str,
    path: str,
) -> None:
    limited = await make_key("viewer", queues=["mail"])
    assert (await http.get(f"{API}/jobs/{job}{path}", headers=limited)).status_code in (200, 202)
    first(monkeypatch, module, verb, move)
    assert (await http.get(f"{API}/jobs/{job}{path}", headers=limited)).status_code == 404


async def test_a_job_that_leaves_the_scope_is_not_changed(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = await make_key("operator", queues=["mail"])
    first(monkeypatch, jobs, "cancel_jobs", move)
    assert (await send(http, limited, f"/jobs/{job}/cancel")).status_code == 404
    assert (await send(http, limited, "/jobs/cancel", jobs=[job])).status_code == 404
    assert await state_and_queue(app, job) == ("ready", "other")


async def test_a_job_that_leaves_the_scope_gets_no_signal(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    job: str,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = await make_key("operator", queues=["mail"])
    first(monkeypatch, pipelines, "signal", move)
    assert (await send(http, limited, "/jobs/signals", jobs=[job], name="go")).status_code == 404
    assert await app.database.fetch("select from holdfast.signals") == []


@pytest.mark.parametrize(
    ("verb", "document"), [("triage_letters", {"status": "resolved"}), ("note_letters", {"note": "seen"})]
)
async def test_a_dead_letter_whose_job_leaves_the_scope_is_not_changed(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    letter: str,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    document: dict[str, str],
) -> None:
    """An operator for all queues replays the job and moves it."""
    limited = await make_key("operator", queues=["mail"])
    left: list[Any] = []

    async def replay_and_move() -> None:
        await app.database.execute("select holdfast.replay_jobs(array[$1::uuid])", letter)
        await app.database.execute(MOVE)
        left.append(await world(app))

    first(monkeypatch, dead, verb, replay_and_move)
    refused = await send(http, limited, "/dead/triage", jobs=[letter], **document)
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert [await world(app)] == left


@pytest.mark.parametrize("canary", [{}, {"canary": 0.01}])
async def test_a_dead_job_is_not_replayed_at_a_stage_outside_of_the_scope(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, canary: dict[str, float]
) -> None:
    async with app.database.transaction() as conn:
        stages = [{"name": queue, "task": "send", "queue": queue} for queue in ("mail", "other")]
        await a_pipeline(conn, stages=stages)
        letter = str((await dead_job(conn, queue="mail", pipeline="line")).id)
    inside = await make_key("operator", queues=["mail", "other"])
    limited = await make_key("operator", queues=["mail"])
    before = await world(app)
    refused = await send(http, limited, "/dead/replay", jobs=[letter], stage="other", **canary)
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found"), refused.text
    assert await world(app) == before
    done = await send(http, inside, "/dead/replay", jobs=[letter], stage="other", **canary)
    assert (done.status_code, done.json()["jobs"][0]["result"]) == (200, "replayed"), done.text
    assert await state_and_queue(app, letter) == ("ready", "other")


async def test_a_job_that_was_replayed_while_the_canary_ran_is_not_replayed_again(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, letter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.database.transaction() as conn:
        other = str((await dead_job(conn, queue="mail")).id)

    async def canary_completes(*_: Any) -> None:
        await app.database.execute("select holdfast.replay_jobs(array[$1::uuid])", other)
        await app.database.execute("select holdfast.cancel_jobs(array[$1::uuid])", other)

    monkeypatch.setattr(replay, "canary_problem", canary_completes)
    key = await make_key("operator")
    refused = await send(http, key, "/dead/replay", jobs=[letter, other], canary=1)
    assert (refused.status_code, other in refused.json()["detail"]) == (409, True), refused.text
    assert await state_and_queue(app, letter) == ("ready", "mail")
    assert await state_and_queue(app, other) == ("cancelled", "mail")


@pytest.mark.parametrize(("verb", "word"), [("cancel_run", "cancel"), ("replay_run", "replay")])
async def test_a_run_with_a_job_that_leaves_the_scope_is_not_changed(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    move: Deed,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    word: str,
) -> None:
    run, limited = await a_run(app), await make_key("operator", queues=["mail"])
    left: list[Any] = []

    async def move_one() -> None:
        await move()
        left.append(await world(app))

    first(monkeypatch, runs, verb, move_one)
    document = {"which": "all"} if word == "replay" else {}
    refused = await send(http, limited, f"/runs/{run}/{word}", **document)
    assert (refused.status_code, refused.json()["code"]) == (403, "access_denied")
    assert [await world(app)] == left
