"""Queues: what their pages show to whom, and what a person does there."""

import re
from datetime import UTC, datetime, timedelta

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.client.report.period import choose_period
from holdfast.dashboard.pages.queue_depth import by_slice, depth_chart
from holdfast.db import endpoints, queues
from holdfast.model.depth import DepthSample
from holdfast.testing import install_fake_clock
from holdfast.testing.clock import FakeClock
from tests.api.conftest import MakeKey
from tests.builders import (
    a_queue,
    a_worker,
    claim,
    complete,
    completed_job,
    dead_job,
    ready_jobs,
    running_job,
)
from tests.dashboard.reading import seen
from tests.dashboard.samples import an_action

NOW = datetime(2030, 1, 31, 9, 0, tzinfo=UTC)


async def jobs_in(app: Holdfast, queue: str, count: int = 1) -> None:
    async with app.database.transaction() as conn:
        await ready_jobs(conn, count, queue=queue, task="send")


async def paused(app: Holdfast, queue: str, reason: str) -> None:
    await jobs_in(app, queue)
    await queues.pause_queue(app.database, queue, reason, "ada")


async def test_a_paused_queue_says_by_whom_and_why(http: AsyncClient, app: Holdfast) -> None:
    await paused(app, "mail", "the server is down")
    page = (await http.get("/queues")).text
    assert "<title>1 queue paused · Queues · Holdfast</title>" in page
    assert "by ada: the server is down" in page
    assert "by ada: the server is down" in (await http.get("/queues/mail")).text
    await queues.pause_all(app.database, "a copy of production", "grace")
    page = (await http.get("/queues")).text
    assert "All queues are paused" in page
    assert "by grace: a copy of production" in page


async def test_a_paused_queue_without_a_worker_says_that_nothing_starts(
    http: AsyncClient, app: Holdfast
) -> None:
    await paused(app, "mail", "hot")
    nothing = "No live worker takes this queue: nothing starts until one does."
    assert (
        seen((await http.get("/queues")).text).row("mail", "Ready")["State"].startswith("paused, no worker")
    )
    one = (await http.get("/queues/mail")).text
    assert "Paused, no worker" in seen(one).words
    assert "No live worker takes its jobs." in seen(one).words
    for page in ((await http.get("/queues")).text, one):
        assert nothing in page
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"])
    for page in ((await http.get("/queues")).text, (await http.get("/queues/mail")).text):
        assert "aused, no worker" not in seen(page).words
        assert nothing not in page
        assert "Its ready jobs start again, unless all queues are paused." in page


async def test_a_count_that_stopped_says_so_and_leads_to_the_jobs(http: AsyncClient, app: Holdfast) -> None:
    await jobs_in(app, "mail", 10_001)
    for path in ("/queues", "/queues/mail"):
        page = (await http.get(path)).text
        assert ">10,000+</span>" in page, path
        assert 'href="/jobs?queue=mail&amp;state=ready"' in page, path


async def test_a_queue_without_a_worker_says_so(http: AsyncClient, app: Holdfast) -> None:
    await jobs_in(app, "mail", 2)
    assert "No live worker takes its jobs:</b> 2 jobs ready" in (await http.get("/queues/mail")).text
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"])
    page = (await http.get("/queues/mail")).text
    assert "No live worker" not in page
    assert "1 worker takes its jobs" in page


async def test_a_late_queue_says_which_limits_are_reached_or_that_slots_are_free(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        await endpoints.declare_endpoint(conn, "llama", {"max": 1, "mode": "fixed"})
        await a_queue(conn, "chat", endpoint="llama")
        await ready_jobs(conn, 3, queue="chat")
        await ready_jobs(conn, 1, queue="mail")
        worker = await a_worker(conn, ["chat", "mail"], lease=timedelta(days=1))
        await clock.advance(600)
    page = seen((await http.get("/queues")).text)
    assert page.row("mail", "Ready")["State"] == "behind1 worker, 10 free slots"
    async with app.database.transaction() as conn:
        assert len(await claim(conn, worker, 2)) == 2
        await conn.execute("""select holdfast.set_queue('mail', '{"max_concurrent": 1}')""")
        await ready_jobs(conn, 1, queue="mail")
        await FakeClock(conn).advance(600)
    page = seen((await http.get("/queues")).text)
    assert page.row("mail", "Ready")["State"] == "behindits limit is 1 at once"
    assert "The queue itself runs at most 1 at once" in seen((await http.get("/queues/mail")).text).words
    async with app.database.transaction() as conn:
        await conn.execute("""select holdfast.set_queue('chat', '{"max_concurrent": 1}')""")
    words = seen((await http.get("/queues/chat")).text).words
    assert "The endpoint llama is at its limit of 1, and the queue itself runs at most 1 at once" in words


async def test_a_setting_says_where_it_comes_from(http: AsyncClient, app: Holdfast) -> None:
    await app.settings.set_queue("mail", timeout="90s", detail="off")
    page = (await http.get("/queues/mail")).text
    assert setting(page, "timeout") == ("90 s", "this queue")
    assert setting(page, "max_wait") == ("24 h", "default")
    assert setting(page, "detail") == ("off", "this queue")
    await queues.set_queue(app.database, "mail", {"detail": None}, None, "ada")
    await app.settings.set_flag("detail", "full")
    assert setting((await http.get("/queues/mail")).text, "detail") == ("full", "the flag set for all queues")


def setting(page: str, name: str) -> tuple[str, str]:
    """Its value and where it comes from."""
    row = page.split(f">{name}</code>", 1)[1].split("</tr>", 1)[0]
    value, source = re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)[:2]
    return re.sub("<[^>]*>", "", value).strip(), source.strip()


async def test_many_queues_are_shown_a_page_at_a_time(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        for number in range(52):
            await a_queue(conn, f"queue-{number:02}")
    first = (await http.get("/queues")).text
    assert 'href="/queues?after=queue-49"' in first
    assert "queue-50" not in first
    second = (await http.get("/queues?after=queue-49")).text
    assert ">queue-51</a>" in second
    assert "Next page" not in second


async def test_a_viewer_sees_no_action(keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast) -> None:
    await jobs_in(app, "mail")
    viewer, operator = await make_key("viewer"), await make_key("operator")
    for path in ("/queues", "/queues/mail"):
        assert "data-api" not in (await keyed_http.get(path, headers=viewer)).text, path
        assert "data-api" in (await keyed_http.get(path, headers=operator)).text, path


async def test_a_key_for_one_queue_sees_it_alone_and_no_people(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await paused(app, "mail", "hot")
    await jobs_in(app, "secret")
    async with app.database.transaction() as conn:
        await a_worker(conn, ["mail"])
    await app.settings.set_flag("rescue", "off")
    key = await make_key("operator", queues=["mail"])
    for path in ("/queues", "/queues/mail"):
        page = (await keyed_http.get(path, headers=key)).text
        assert "secret" not in page, path
        assert "by ada" not in page, path
        assert ": hot" in page, path
        assert "Workers</th>" not in page, path
        assert "takes its jobs" not in page, path
        assert "rescue is off" not in page, path
        assert ">Endpoint" not in page, "hidden, which is not the same as none"
        assert "POST /queues/pause" not in page, path
    assert (await keyed_http.get("/queues/secret", headers=key)).status_code == 403
    assert (
        await keyed_http.get("/queues", headers=await make_key("viewer", tasks=["send"]))
    ).status_code == 403


async def test_a_key_with_a_scope_is_not_told_which_endpoint_is_the_ceiling(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await endpoints.declare_endpoint(app.database, "llama", {"max": 2, "mode": "fixed"})
    async with app.database.transaction() as conn:
        await a_queue(conn, "chat", endpoint="llama")
        await ready_jobs(conn, 600, queue="chat")
        await a_worker(conn, ["chat"])
    for key, ceiling in (
        (await make_key("viewer"), "llama admits 2"),
        (await make_key("viewer", queues=["chat"]), "a limit is reached"),
    ):
        page = seen((await keyed_http.get("/queues/chat", headers=key)).text)
        assert f"More workers do not help: {ceiling}." in page.words
        assert "each point is the highest of 60 s" in page.words


async def test_a_queue_that_is_not_there_is_not_found(http: AsyncClient) -> None:
    answered = await http.get("/queues/absent")
    assert (answered.status_code, "There is no queue" in answered.text) == (404, True)


def a_sample(minutes_ago: int, ready: int) -> DepthSample:
    at = NOW - timedelta(minutes=minutes_ago)
    return DepthSample("mail", at, 0, 0, ready, 0, None, None, at, at)


def test_depth_is_the_highest_of_a_slice_and_unknown_where_no_sample_is() -> None:
    period = choose_period("6h", NOW)
    samples = [a_sample(300, 7), a_sample(299, 9), a_sample(200, 0), a_sample(100, 4)]
    ready = [None if one is None else one.ready for one in by_slice(period, samples)]
    assert max(one or 0 for one in ready) == 9
    counted = [number for number, one in enumerate(ready) if one]
    first, last = counted[0], counted[-1]
    assert ready[:first] == [None] * first, "before the first sample"
    assert None in ready[first : first + 15], "no sample after a queue with jobs"
    emptied = ready.index(0)
    assert ready[emptied:last] == [0] * (last - emptied), "it stayed empty without further samples"
    assert depth_chart(period, []) is None


async def a_queue_of(app: Holdfast, *names: str) -> None:
    async with app.database.transaction() as conn:
        for name in names:
            await a_queue(conn, name)


async def test_queues_in_trouble_stand_first_and_the_internal_one_last(
    http: AsyncClient, app: Holdfast
) -> None:
    await an_action(app)
    await paused(app, "b-paused", "hot")
    await jobs_in(app, "c-alone")
    await a_queue_of(app, "a-open", "d-dead")
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="d-dead")
    page = (await http.get("/queues")).text
    assert "<title>1 queue without a worker, 1 queue with dead letters, 1 queue paused · Queues" in page
    rows = [row[0].split()[0] for row in seen(page).tables[0][1:]]
    assert rows == ["c-alone", "b-paused", "d-dead", "a-open", "holdfast"]
    assert "Internal</span>" in page
    assert page.count('data-open="pause"') == 3
    assert "POST /queues/holdfast" not in (await http.get("/queues/holdfast")).text


async def test_a_queue_leads_with_its_dead_letters_and_folds_its_defaults(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="mail")
        await conn.execute("select holdfast.summarise_ends()")
    await app.settings.set_queue("mail", retry={"delays": [20, 60, 180]}, endpoint="smtp")
    page = (await http.get("/queues/mail")).text
    found = seen(page)
    assert found.title.startswith("1 dead letter · mail")
    assert re.search(r"1 dead letter , last \d+ s ago", found.words)
    assert ("1 dead letter", "/dead?queue=mail") in found.links
    assert ("smtp", "/endpoints/smtp") in found.links
    assert setting(page, "retry") == ("20 s, 60 s, 180 s", "this queue")
    assert "17 defaults" in found.words
    assert page.index(">retry</code>") < page.index("17 defaults") < page.index(">timeout</code>")
    assert "Forecast not known yet" in found.words
    assert "Last hour 1 job ended Went well 0 %" in found.words
    assert "primary" not in page.partition("<dialog")[0]


async def test_a_queue_that_nothing_leaves_is_stalled_and_an_empty_one_has_no_forecast(
    http: AsyncClient, app: Holdfast
) -> None:
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        await ready_jobs(conn, 1, queue="mail")
        await a_worker(conn, ["mail", "chat"], lease=timedelta(days=1))
        await clock.advance(660)
        await completed_job(conn, queue="chat")
        await running_job(conn, queue="chat")
        await conn.execute("select holdfast.summarise_ends()")
    page = seen((await http.get("/queues")).text)
    assert page.row("mail", "Empty in")["Empty in"] == "stalled"
    assert page.row("chat", "Empty in")["Empty in"] == "–"


async def test_a_paused_queue_has_no_forecast(http: AsyncClient, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        clock = await install_fake_clock(conn)
        await ready_jobs(conn, 2, queue="mail")
        worker = await a_worker(conn, ["mail"], lease=timedelta(days=1))
        await clock.advance(660)
        for job in await claim(conn, worker):
            await complete(conn, job)
        await conn.execute("select holdfast.summarise_ends()")
    assert seen((await http.get("/queues")).text).row("mail", "Empty in")["Empty in"] == "10 min"
    assert "came, empty in 10 min" in seen((await http.get("/queues/mail")).text).words
    await queues.pause_queue(app.database, "mail", "the server moves", "ada")
    assert seen((await http.get("/queues")).text).row("mail", "Empty in")["Empty in"] == "–"
    assert "empty in" not in seen((await http.get("/queues/mail")).text).words
