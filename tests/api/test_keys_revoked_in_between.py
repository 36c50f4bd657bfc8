"""An access key is revoked after the check of a request and before what the request does."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx2 import AsyncClient

from holdfast.api.request import body
from holdfast.client.app import Holdfast
from holdfast.db import dead, jobs, runs
from tests.api.conftest import MakeKey
from tests.api.in_between import API, a_job, a_letter, a_run, first, send, state_and_queue, world


@pytest.mark.parametrize(
    ("module", "verb", "path", "document"),
    [
        (dead, "triage_letters", "/dead/triage", {"jobs": ["LETTER"], "status": "resolved"}),
        (dead, "note_letters", "/dead/triage", {"jobs": ["LETTER"], "note": "seen"}),
        (jobs, "replay_jobs", "/dead/replay", {"jobs": ["LETTER"]}),
        (runs, "cancel_run", "/runs/{run}/cancel", {}),
        (runs, "replay_run", "/runs/{run}/replay", {"which": "all"}),
        (runs, "seal_run", "/runs/{run}/seal", {}),
        (jobs, "cancel_jobs", "/jobs/{job}/cancel", {}),
    ],
)
@pytest.mark.parametrize("queues", [None, ["mail"]])
async def test_a_key_that_is_revoked_before_the_verb_changes_nothing(
    http: AsyncClient,
    app: Holdfast,
    make_key: MakeKey,
    monkeypatch: pytest.MonkeyPatch,
    queues: list[str] | None,
    module: Any,
    verb: str,
    path: str,
    document: dict[str, Any],
) -> None:
    job, letter, run = await a_job(app), await a_letter(app), await a_run(app)
    key = await make_key("operator", queues=queues)
    (name,) = [one.name for one in await app.keys.list()]
    before = await world(app)
    first(monkeypatch, module, verb, lambda: app.keys.revoke(name))
    given = {**document, "jobs": [letter]} if "jobs" in document else document
    refused = await send(http, key, path.format(job=job, run=run), **given)
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), refused.text
    assert await world(app) == before


async def test_a_key_that_is_revoked_while_the_body_comes_starts_no_run_without_jobs(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    for queues in (None, ["mail"]):
        key = await make_key("producer", queues=queues)
        (name,) = [one.name for one in await app.keys.list() if one.revoked_at is None]

        async def late(name: str = name) -> AsyncIterator[bytes]:
            await app.keys.revoke(name, "lost")
            yield json.dumps({"name": "news"}).encode()

        refused = await http.post(f"{API}/runs", content=late(), headers=key)
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), queues
    assert await runs.list_runs(app.database) == []


async def test_a_key_that_is_revoked_while_the_body_comes_changes_nothing(
    http: AsyncClient, app: Holdfast, make_key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await a_job(app)
    monkeypatch.setattr(body, "LATE", -1.0)
    bulk = {"task": "send", "queue": "mail"}
    for role, path, document in (
        ("operator", f"/jobs/{job}/cancel", {}),
        ("operator", "/queues/mail/pause", {"reason": "busy"}),
        ("producer", "/jobs/bulk", bulk),
        ("producer", "/runs", {"name": "r", "jobs": [bulk]}),
    ):
        key = await make_key(role)

        async def late(role: str = role, document: Any = document) -> AsyncIterator[bytes]:
            await app.keys.revoke(role, "lost")
            yield json.dumps(document).encode()

        refused = await http.post(f"{API}{path}", content=late(), headers=key)
        assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated"), path
    assert [str(one.id) for one in await app.jobs()] == [job]
    assert await state_and_queue(app, job) == ("ready", "mail")
    (queue,) = await app.database.fetch("select paused_at from holdfast.queue_view where name = 'mail'")
    assert queue["paused_at"] is None
