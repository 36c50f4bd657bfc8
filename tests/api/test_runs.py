"""Runs over HTTP: started with jobs, filled, sealed, read; repeated requests and what is refused."""

import asyncio
import json
from typing import Any

import pytest
from httpx2 import AsyncClient, Response

from holdfast.client.app import Holdfast
from holdfast.db.runs import list_runs
from tests.api.conftest import Headers, MakeKey

RUNS, BULK = "/api/v1/runs", "/api/v1/jobs/bulk"
MAIL = {"task": "send", "queue": "mail"}


@pytest.fixture
async def key(make_key: MakeKey) -> Headers:
    return await make_key("producer")


async def start(http: AsyncClient, headers: Headers, **run: Any) -> Response:
    return await http.post(RUNS, json={"name": "news", **run}, headers=headers)


async def bulk(http: AsyncClient, path: str, headers: Headers, *jobs: dict[str, Any]) -> Response:
    return await http.post(path, content="\n".join(map(json.dumps, jobs)), headers=headers)


async def test_a_run_is_started_filled_sealed_and_read(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    made = await start(
        http, key, labels={"month": "May"}, max_units=5, max_time="1h", budget="5 USD", jobs=[MAIL, MAIL],
        on_complete={"task": "report", "queue": "mail"},
    )  # fmt: skip
    assert (made.status_code, made.json()["created"], len(made.json()["ids"])) == (201, 2, 2), made.text
    run = made.json()["run"]
    added = await http.post(f"{RUNS}/{run}/jobs", json={"jobs": [MAIL]}, headers=key)
    assert (added.status_code, added.json()["run"], len(added.json()["ids"])) == (201, run, 1)
    more = await bulk(http, f"{RUNS}/{run}/jobs/bulk", key, MAIL, MAIL)
    assert (more.status_code, more.json()["created"]) == (201, 2)
    assert (await http.post(f"{RUNS}/{run}/seal", headers=key)).json() == {"run": run, "ended": False}
    late = await http.post(f"{RUNS}/{run}/jobs", json={"jobs": [MAIL]}, headers=key)
    assert (late.status_code, late.json()["code"]) == (409, "wrong_state")
    shown = (await http.get(f"{RUNS}/{run}", headers=key)).json()
    assert (shown["id"], shown["name"], shown["state"], shown["total"]) == (run, "news", "sealed", 5)
    assert {str(job.run) for job in await app.jobs(queue="mail")} == {run}
    (row,) = await app.database.fetch("select on_complete, claimed_actor, labels from holdfast.run_view")
    assert json.loads(row["on_complete"]) == {"task": "report", "queue": "mail", "actor": "producer"}
    assert (row["claimed_actor"], json.loads(row["labels"])) == ("producer", {"month": "May"})
    empty = await start(http, key, seal=True)
    assert (await http.get(f"{RUNS}/{empty.json()['run']}", headers=key)).json()["state"] == "ended"


async def test_a_repeated_request_gives_the_same_run_and_another_body_a_conflict(
    http: AsyncClient, app: Holdfast, key: Headers, make_key: MakeKey
) -> None:
    once = {**key, "Idempotency-Key": "may"}
    answered = await asyncio.gather(*(start(http, once, jobs=[MAIL]) for _ in range(5)))
    assert sorted(one.status_code for one in answered) == [200, 200, 200, 200, 201]
    assert len({one.json()["run"] for one in answered}) == 1
    assert {"run": answered[0].json()["run"], "ids": None, "created": 0} in [one.json() for one in answered]
    other = await start(http, once, jobs=[MAIL, MAIL])
    assert (other.status_code, other.json()["code"]) == (409, "unique_conflict")
    elsewhere = {**await make_key("operator"), "Idempotency-Key": "may"}
    assert (await start(http, elsewhere, jobs=[MAIL])).status_code == 201, "a key of another caller"
    assert len(await app.jobs()) == 2
    assert len(await list_runs(app.database)) == 2


async def test_an_idempotency_key_makes_a_sealed_run_of_many_jobs(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    once = {**key, "Idempotency-Key": "import 17"}
    first = await bulk(http, BULK, once, MAIL, MAIL)
    assert (first.status_code, first.json()["created"], len(first.json()["ids"])) == (201, 2, 2)
    again = await bulk(http, BULK, once, MAIL, MAIL)
    assert again.status_code == 200
    assert again.json() == {"run": first.json()["run"], "ids": None, "created": 0}
    other = await bulk(http, BULK, once, MAIL)
    assert (other.status_code, other.json()["code"]) == (409, "unique_conflict")
    (run,) = await list_runs(app.database)
    assert (str(run.id), run.name, run.state, run.total) == (first.json()["run"], "import 17", "sealed", 2)
    assert (await bulk(http, BULK, key, MAIL)).json()["run"] is None
    bad = await bulk(http, BULK, {**key, "Idempotency-Key": "bad"}, MAIL, {"task": 5})
    assert (bad.status_code, bad.json()["line"], len(await list_runs(app.database))) == (422, 2, 1)


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"name": ""}, "$.name"),
        ({"name": 5}, "$.name"),
        ({"colour": 1}, "$"),
        ({"seal": "yes"}, "$.seal"),
        ({"jobs": {}}, "$.jobs"),
        ({"jobs": [MAIL, 5]}, "$.jobs[1]"),
        ({"jobs": [MAIL, {"task": ""}]}, "$.jobs[1].task"),
        ({"jobs": [{**MAIL, "colour": 1}]}, "$.jobs[0].colour"),
        ({"jobs": [{**MAIL, "run": "x"}]}, "$.jobs[0].run"),
        ({"on_complete": 5}, "$.on_complete"),
        ({"on_complete": {**MAIL, "unique_key": "x"}}, "$.on_complete"),
        ({"on_complete": {**MAIL, "priority": 900}}, "$.on_complete.priority"),
        ({"labels": 5}, None),
        ({"budget": {"a": 1}}, None),
        ({"max_units": "many"}, None),
        ({"max_time": "soon"}, None),
        ({"origin": ""}, None),
        ({"origin": "x" * 300}, None),
        ({"name": "a\x00"}, "$.name"),
    ],
)
async def test_a_run_that_makes_no_sense_is_refused_and_stores_nothing(
    http: AsyncClient, app: Holdfast, key: Headers, wrong: dict[str, Any], path: str | None
) -> None:
    refused = await start(http, key, **wrong)
    assert refused.status_code == 422, refused.text
    assert path is None or refused.json()["path"] == path
    assert path in (None, "$.name") or "pass only JSON values" not in refused.json()["hint"], "it is JSON"
    assert await list_runs(app.database) == []
    assert await app.jobs() == []


async def test_a_job_that_only_the_database_refuses_is_named(
    http: AsyncClient, app: Holdfast, key: Headers
) -> None:
    good, bad = {"task": "send"}, {"task": "send", "payload": "x" * 262_144}
    listed = await start(http, key, jobs=[good, good, bad, good])
    assert (listed.status_code, listed.json()["path"]) == (422, "$.jobs[2].payload"), listed.text
    once = {**key, "Idempotency-Key": "import 17"}
    named = await bulk(http, BULK, once, good, bad)
    assert (named.status_code, named.json()["line"]) == (422, 2), named.text
    assert (await list_runs(app.database), await app.jobs()) == ([], [])
    run = (await start(http, key, seal=True)).json()["run"]
    sealed = await bulk(http, f"{RUNS}/{run}/jobs/bulk", key, good)
    assert (sealed.status_code, "line" in sealed.json()) == (409, False), "the fault of the run"


async def test_an_unknown_run_is_not_found(http: AsyncClient, key: Headers) -> None:
    absent = f"{RUNS}/0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b12"
    for answered in (
        await http.get(absent, headers=key),
        await http.post(f"{absent}/jobs", json={"jobs": [MAIL]}, headers=key),
        await bulk(http, f"{absent}/jobs/bulk", key, MAIL),
        await http.post(f"{absent}/seal", headers=key),
    ):
        assert (answered.status_code, answered.json()["code"]) == (404, "not_found")
    assert (await http.get(f"{RUNS}/x", headers=key)).status_code == 422
    named = {**key, "Idempotency-Key": "x"}
    refused = await http.post(f"{absent}/jobs", json={"jobs": [MAIL]}, headers=named)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_option")


async def test_runs_are_listed_by_state_name_and_label(http: AsyncClient, make_key: MakeKey) -> None:
    operator = await make_key("operator")
    await start(http, operator, name="May newsletter", labels={"team": "mail"})
    await start(http, operator, name="June newsletter", labels={"team": "ads"})
    for query, names in (
        ("name=newsletter", ["June newsletter", "May newsletter"]),
        ("name=may", ["May newsletter"]),
        ("label=team%3Dads&state=open", ["June newsletter"]),
        ("state=ended", []),
    ):
        found = (await http.get(f"{RUNS}?{query}", headers=operator)).json()
        assert ([one["name"] for one in found["runs"]], found["next"]) == (names, None), query
    for wrong in ("state=paused", "label=team", "name=%00"):
        assert (await http.get(f"{RUNS}?{wrong}", headers=operator)).status_code == 422, wrong
