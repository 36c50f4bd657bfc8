"""Operators over HTTP: jobs, dead letters and runs, with the access key's name and the reason."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.state import State
from tests.api.people import WHY, Caller, jobs_in, last_event
from tests.builders import a_sealed_run, a_worker, claim_one, complete, dead_job, running_job


async def test_a_named_job_is_cancelled_replayed_and_given_a_priority(people: Caller, app: Holdfast) -> None:
    (job,) = await jobs_in(app, 1)
    assert (await people.send("POST", f"/jobs/{job}/priority", {"priority": 7, "reason": WHY}))[
        "result"
    ] == "set"
    assert (await app.job(job).job()).priority == 7
    cancelled = await people.send("POST", f"/jobs/{job}/cancel", {"reason": WHY})
    assert cancelled == {"id": str(job), "result": "cancelled"}
    assert await last_event(app, "cancel") == ("operator", WHY)
    again = await people.send("POST", f"/jobs/{job}/cancel", status=409)
    assert (again["code"], "has ended" in again["detail"]) == ("conflict", True)
    assert (await people.send("POST", f"/jobs/{job}/replay"))["result"] == "replayed"
    assert (await people.send("POST", f"/jobs/{uuid4()}/cancel", status=404))["code"] == "not_found"


async def test_up_to_a_hundred_named_jobs_have_a_result_each(people: Caller, app: Holdfast) -> None:
    first, second = await jobs_in(app, 2)
    absent = str(uuid4())
    await app.job(second).cancel()
    done = await people.send("POST", "/jobs/cancel", {"jobs": [str(first), str(second), absent, str(first)]})
    results = {one["id"]: one["result"] for one in done["jobs"]}
    assert results == {str(first): "cancelled", str(second): "ended", absent: "not_found"}
    many = [str(uuid4()) for _ in range(101)]
    assert (await people.send("POST", "/jobs/cancel", {"jobs": many}, 422))["path"] == "$.jobs"


async def test_a_running_job_is_reclaimed_and_a_signal_is_kept(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = (await running_job(conn)).id
    said = await people.send("POST", "/jobs/signals", {"jobs": [str(job)], "name": "go", "data": {"n": 1}})
    assert said["jobs"] == [{"id": str(job), "result": "kept"}]
    assert (await people.send("POST", f"/jobs/{job}/reclaim", {}, 422))["path"] == "$.reason"
    assert (await people.send("POST", f"/jobs/{job}/reclaim", {"reason": WHY}))["result"] == "reclaimed"
    assert (await app.job(job).job()).state is State.READY


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"jobs": []}, "$.jobs"),
        ({"jobs": "x"}, "$.jobs"),
        ({"jobs": [1]}, "$.jobs[0]"),
        ({"reason": "x"}, "$.jobs"),
        ({"jobs": ["x"], "colour": "red"}, "$.colour"),
        ({"jobs": [str(uuid4())], "reason": 5}, "$.reason"),
        ({"jobs": [str(uuid4())], "reason": "a\0b"}, "$.reason"),
        ([1], "$"),
    ],
)
async def test_a_body_that_is_wrong_is_refused_with_its_path(people: Caller, body: Any, path: str) -> None:
    assert (await people.send("POST", "/jobs/cancel", body, 422))["path"] == path


async def test_jobs_are_found_by_every_filter_of_the_command_line(people: Caller, app: Holdfast) -> None:
    (wanted,) = await jobs_in(
        app,
        1,
        queue="mail",
        labels={"team": "search", "size": 5},
        unique_key="k",
        order_key="o",
        origin="manual",
    )
    await jobs_in(app, 2, queue="mail", labels={"team": "chat", "size": 5})
    found: list[dict[str, Any]] = [
        {"label": "team=search"},
        {"label": ["size=5", "team=search"]},
        {"unique_key": "k"},
        {"order_key": "o"},
        {"origin": "manual"},
        {"unique_key": "k", "newer_than": "1h", "attempt": 0, "failures": 0},
    ]
    for query in found:
        page = await people.get("/jobs", queue="mail", **query)
        assert [one["id"] for one in page["jobs"]] == [str(wanted)], query
    empty: list[dict[str, Any]] = [{"older_than": "1h"}, {"attempt": 1}, {"priority": 3}, {"worker": uuid4()}]
    for query in empty:
        assert (await people.get("/jobs", **query))["jobs"] == []
    for wrong in ({"label": "team"}, {"attempt": "many"}, {"worker": "x"}, {"newer_than": "soon"}):
        await people.get("/jobs", 422, **wrong)


async def test_the_logs_of_a_job_are_shown_by_attempt(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = (await dead_job(conn)).id
    assert await people.get(f"/jobs/{job}/logs") == {"job": str(job), "attempts": []}
    await people.get(f"/jobs/{uuid4()}/logs", 404)


async def test_dead_letters_are_listed_grouped_and_triaged(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        dead = [str((await dead_job(conn, queue="mail")).id) for _ in range(3)]
    first = await people.get("/dead", limit=2)
    rest = await people.get("/dead", limit=2, cursor=first["next"])
    assert [one["job"] for one in first["letters"] + rest["letters"]] == dead[::-1]
    assert rest["next"] is None
    (group,) = (await people.get("/dead/groups", queue="mail"))["groups"]
    assert group["letters"] == 3
    body = {"jobs": dead[:2], "status": "investigating", "assignee": "ada", "note": "seen", "reason": WHY}
    assert await people.send("POST", "/dead/triage", body) == {"changed": 2}
    assert await last_event(app, "triage") == ("operator", WHY)
    shown = await people.get(f"/dead/{dead[0]}")
    assert (shown["assignee"], shown["notes"][0]["note"], shown["notes"][0]["author"]) == (
        "ada", "seen", "operator",
    )  # fmt: skip
    assert len((await people.get("/dead", status="open", since="1h"))["letters"]) == 1
    await people.send("POST", "/dead/triage", {"jobs": [dead[0], str(uuid4())], "note": "x"}, 404)
    assert len((await people.get(f"/dead/{dead[0]}"))["notes"]) == 1
    for query in ({"cursor": "x"}, {"cursor": "2030-01-31T09:00:00Z,x"}, {"since": "soon"}, {"run": "x"}):
        await people.get("/dead", 422, **query)


async def test_the_others_are_replayed_only_if_the_canary_completes(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        canary, other = [(await dead_job(conn, queue="mail")).id for _ in range(2)]
        worker = await a_worker(conn, ["mail"])
    body = {"jobs": [str(canary), str(other)], "canary": 20, "reason": WHY}
    asked = asyncio.create_task(people.send("POST", "/dead/replay", body))
    while (await app.job(canary).job()).state is not State.READY:
        await asyncio.sleep(0)
    assert (await app.job(other).job()).state is State.DEAD
    async with app.database.transaction() as conn:
        assert await complete(conn, await claim_one(conn, worker))
    done = await asked
    assert [one["result"] for one in done["jobs"]] == ["replayed", "replayed"]
    assert done["stopped"] is None
    assert (await people.send("POST", "/dead/replay", body, 409))["code"] == "conflict"


async def test_the_others_stay_dead_if_the_canary_is_late(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        canary, other = [(await dead_job(conn)).id for _ in range(2)]
    done = await people.send("POST", "/dead/replay", {"jobs": [str(canary), str(other)], "canary": 0.1})
    assert [one["id"] for one in done["jobs"]] == [str(canary)]
    assert "did not end" in done["stopped"]
    assert (await app.job(other).job()).state is State.DEAD


async def test_a_dead_job_is_replaced_by_one_with_another_payload(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        dead = (await dead_job(conn)).id
    made = await people.send("POST", f"/jobs/{dead}/replace", {"payload": {"n": 2}, "reason": WHY}, 201)
    new = await app.job(made["replaced_by"]).job()
    assert (new.payload, new.claimed_actor) == ({"n": 2}, "operator")
    await people.send("POST", f"/jobs/{dead}/replace", {"payload": {}}, 409)


async def test_runs_are_paged_watched_cancelled_and_replayed(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        made = [(await a_sealed_run(conn, jobs=2))[0] for _ in range(3)]
    first = await people.get("/runs", limit=2)
    rest = await people.get("/runs", limit=2, cursor=first["next"])
    assert [one["id"] for one in first["runs"] + rest["runs"]] == [str(run) for run in reversed(made)]
    run = made[0]
    shown = await people.get(f"/runs/{run}")
    assert (shown["ready"], shown["total"], "eta" in shown) == (2, 2, True)
    assert (await people.send("POST", f"/runs/{run}/cancel", {"reason": WHY}))["cancelled"] == 2
    assert (await people.get(f"/runs/{run}"))["cancelled"] == 2
    assert (await people.send("POST", f"/runs/{run}/replay", {"which": "all"}))["replayed"] == 2
    await people.send("POST", f"/runs/{run}/replay", {"which": "some"}, 422)
    await people.get(f"/runs/{uuid4()}", 404)
