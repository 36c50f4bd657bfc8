"""The page of one job: what it says, who sees what, and what a person does there."""

import json
from uuid import UUID

import pytest
from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.dashboard.job.reasons import ENDPOINT, LIMITS, NO_WORKER, PAUSES, reasons_of
from holdfast.db import dead, jobs
from holdfast.model.id import JobId
from holdfast.model.payload import encode
from holdfast.model.timeline import Blocker
from tests.api.conftest import MakeKey
from tests.builders import (
    a_worker,
    an_open_run,
    cancelled_job,
    claim_one,
    completed_job,
    dead_job,
    fail,
    ready_job,
    report,
    running_job,
    settle,
)
from tests.dashboard.hostile_world import save_log
from tests.stage_builders import a_pipeline, job_that_waits

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TABS = ("payload", "output", "stages", "checkpoints", "logs", "errors")


async def shown(http: AsyncClient, job: UUID, tab: str = "", headers: dict[str, str] | None = None) -> str:
    answered = await http.get(f"/jobs/{job}{f'?tab={tab}' if tab else ''}", headers=headers)
    assert answered.status_code == 200, answered.text
    return answered.text


async def test_a_job_that_is_held_up_says_why_and_links_to_the_cause(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        job = await ready_job(conn, queue="a mail", task="send")
    await app.pause_queue("a mail", "the server is down")
    page = await shown(http, job)
    assert f"<title>Ready · send {str(job)[-12:]} · Holdfast</title>" in page
    assert "Why it is not running" in page
    assert '<a class="plain" href="/queues/a%20mail">Queue a mail is paused since' in page
    assert "the server is down" in page
    assert page.index("is paused since") < page.index("No live worker claims from queue"), (
        "first blocker first"
    )
    reasons, remarks = page.split('<ol class="reasons">')[1].split("</ol>")
    assert "has registered the task" not in reasons, "which holds up nothing"
    assert "has registered the task" in remarks
    assert "it is due" in remarks, "what is not the reason"


async def test_every_cause_leads_to_a_page_that_exists(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = JobId(await ready_job(conn, queue="mail", labels={"schedule": "nightly"}))
    found, details = await jobs.get_job(app.database, job), await jobs.get_details(app.database, job)
    assert found is not None
    assert details is not None
    for cause in ENDPOINT | NO_WORKER | PAUSES | LIMITS | {"behind", "order", "rules", "schedule"}:
        ((reason,), _) = reasons_of([Blocker(cause, "", None, True)], found, details, found.created_at)
        assert (await http.get(reason.path)).status_code == 200, cause


async def test_the_facts_of_a_job_link_to_what_they_name(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        run = await an_open_run(conn, "nightly")
        job = await ready_job(
            conn,
            queue="mail",
            task="send",
            labels={"tenant": "northwind", "n": 3},
            unique_key="post 17",
            order_key="customer 4",
            run=run,
            origin="import",
            actor="ada",
            trace=TRACE,
        )
    page = await shown(http, job)
    for link in (
        "/queues/mail",
        "/jobs?queue=mail&amp;task=send",
        "/jobs?queue=mail&amp;unique_key=post+17",
        "/jobs?queue=mail&amp;order_key=customer+4",
        "/jobs?queue=mail&amp;label=tenant%3Dnorthwind",
        f"/runs/{run}",
    ):
        assert f'href="{link}"' in page, link
    for words in ("0af7651916cd43dd8448eb211c80319c", "import", "ada", "5 s, then × 2 up to 5 min", "0 of 3"):
        assert words in page, words


async def test_a_running_job_shows_its_worker_and_its_progress(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await running_job(conn)
        await report(conn, job, done=3, total=8, item="page 3", errors=[{"item": "2", "error": "broken"}])
    page = await shown(http, job.id)
    assert "Where it runs" in page
    assert '<progress max="8" value="3"' in page
    assert "broken" in page
    assert f'href="/workers/{job.worker}"' in page


async def test_each_tab_shows_its_part(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn, "line", ["a", "b"])
        worker = await a_worker(conn, ["line.a", "line.b"])
        await ready_job(conn, pipeline="line", payload={"to": "ada"}, retry={"delays": [0]})
        first = await claim_one(conn, worker)
        await save_log(conn, first, "the server is slow")
        await fail(
            conn, first, message="no route", traceback="Traceback\nValueError: no route", evidence="none"
        )
        again = await claim_one(conn, worker)
        await settle(conn, again, "advance", {"stage": "b"}, {"topic": "ferries"})
        last = await claim_one(conn, worker)
        await conn.execute("select holdfast.save_checkpoint($1, $2, 'half', '[7]')", last.id, last.token)
    saved = await shown(http, first.id, "checkpoints")
    async with app.database.transaction() as conn:
        assert await settle(conn, last, "complete", None, {"answer": 42})
    expected = {
        "payload": "&quot;ada&quot;",
        "output": ">42<",
        "stages": "&quot;ferries&quot;",
        "logs": "the server is slow",
        "errors": "no route",
    }
    for tab, words in expected.items():
        page = await shown(http, first.id, tab)
        assert words in page.split('aria-label="Data"')[1].split("</section>")[0], tab
    assert '<span class="d">7</span>' in saved


async def test_a_dead_job_shows_its_error_and_its_letter(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn, message="no such address")
    page = await shown(http, job.id)
    assert "How it ended" in page
    assert "ValueError: no such address" in page
    letter = await dead.get_letter(app.database, JobId(job.id))
    assert letter is not None
    assert f"group={letter.fingerprint}" in page


async def test_a_replaced_job_and_its_replacement_name_each_other(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn)
        new = await dead.replace_job(conn, JobId(job.id), encode({"n": 2}), "wrong", "Ada")
    old_page, new_page = await shown(http, job.id), await shown(http, new)
    assert f'href="/jobs/{new}"' in old_page
    assert f'href="/jobs/{job.id}"' in new_page
    assert "data-api" not in old_page, "it can be neither replayed nor replaced again"


async def test_actions_are_those_of_the_state(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        found = {
            "ready": await ready_job(conn, queue="other"),
            "running": (await running_job(conn)).id,
            "waiting": (await job_that_waits(conn, "approval")).id,
            "completed": (await completed_job(conn)).id,
            "cancelled": await cancelled_job(conn),
            "dead": (await dead_job(conn)).id,
        }
    expected = {
        "ready": {"cancel", "priority"},
        "running": {"cancel", "priority", "reclaim", "signals"},
        "waiting": {"cancel", "priority", "signals"},
        "completed": {"replay"},
        "cancelled": {"replay"},
        "dead": {"replay", "replace"},
    }
    for state, job in found.items():
        page = await shown(http, job)
        verbs = {part.split('"')[0] for part in page.split(f'data-api="POST /jobs/{job}/')[1:]}
        assert verbs == expected[state], state
    waiting = await shown(http, found["waiting"])
    assert 'name="name" maxlength="200" required value="approval"' in waiting
    assert "It waits for the signal approval.</p>" in waiting
    assert "36500 d" not in waiting, "a wait without a timeout has no end"


async def test_a_job_of_a_pipeline_may_be_replayed_from_any_of_its_stages(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn, "line", ["a", "b"])
        await ready_job(conn, pipeline="line")
        job = await claim_one(conn, await a_worker(conn, ["line.a"]))
        await fail(conn, job, error_class="permanent")
    page = await shown(http, job.id)
    assert '<option value="">Where it ended: a</option>' in page
    assert '<option value="b">b</option>' in page


async def test_a_viewer_sees_no_action(keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn)
    assert "data-api" not in await shown(keyed_http, job.id, headers=await make_key("viewer"))
    assert "data-api" in await shown(keyed_http, job.id, headers=await make_key("operator"))


async def test_a_key_for_one_queue_sees_only_its_jobs_and_no_hosts_or_people(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        worker = await a_worker(conn, ["mail"], host="secret-host")
        job = await running_job(conn, worker, queue="mail", actor="secret-person", endpoint="secret-endpoint")
        await fail(conn, job, evidence="none")
        other = await ready_job(conn, queue="other")
    key = await make_key("operator", queues=["mail"])
    for tab in TABS:
        page = await shown(keyed_http, job.id, tab, headers=key)
        for hidden in ("secret-host", "secret-person", str(worker), "<dt>Actor</dt>", "<dt>Login</dt>"):
            assert hidden not in page, f"{tab}: {hidden}"
    assert (await keyed_http.get(f"/jobs/{other}", headers=key)).status_code == 404
    assert (await keyed_http.get("/live", params={"page": f"/jobs/{other}"}, headers=key)).status_code == 404


@pytest.mark.parametrize(
    ("job", "status"), [("0198f1a2-7d3c-7b1e-9c55-0a6f2d4e8b11", 404), ("nonsense", 422)]
)
async def test_what_is_no_job_has_a_page_that_says_so(http: AsyncClient, job: str, status: int) -> None:
    answered = await http.get(f"/jobs/{job}")
    assert answered.status_code == status
    assert "<h1" in answered.text


async def test_a_long_payload_is_cut_and_the_whole_is_linked(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await dead_job(conn, payload=["x" * 50] * 4000)
    page = await shown(http, job.id)
    assert len(page) < 200_000
    assert "Only a part is shown" in page
    assert "212,001 bytes" in page
    assert f'href="/api/v1/jobs/{job.id}"' in page
    assert "(select payload from holdfast.get_job(" in page
    assert "too long to edit here" in page


async def test_masked_fields_are_nowhere_in_the_page(http: AsyncClient, app: Holdfast) -> None:
    secret = {"db_password": "hunter2", "to": "ada"}
    async with app.database.transaction() as conn:
        job = await running_job(conn, payload=secret, labels={"api_key": "hunter2", "team": "search"})
        saved = json.dumps({"token": "hunter2", "page": 7})
        await conn.execute("select holdfast.save_checkpoint($1, $2, 'half', $3)", job.id, job.token, saved)
        await fail(conn, job, error_class="permanent")
    for tab in TABS:
        page = await shown(http, job.id, tab)
        assert "hunter2" not in page, tab
        assert "(select payload from holdfast.get_job(" in page, "a copy has the value"
    assert "1 field is masked" in await shown(http, job.id)
    assert "has masked fields" in await shown(http, job.id), "and is not edited without it"


async def test_the_progress_of_an_attempt_that_ended_is_past(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        job = await running_job(conn)
        await report(conn, job, done=3, total=8)
        await fail(conn, job)
    page = (await http.get(f"/jobs/{job.id}")).text
    assert "Last attempt got to" in page
    assert '<progress class="past" max="8" value="3"' in page
