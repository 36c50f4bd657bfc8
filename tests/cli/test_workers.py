"""`holdfast workers`: show, drain, recommend and continue."""

import asyncio

import asyncpg

from tests.cli.command import Result, holdfast
from tests.cli.test_runs_and_queues import NEED_KEYS, WORKER_KEYS

REGISTER = "select holdfast.register_worker(gen_random_uuid(), '{default}', $1)"
GONE = "update holdfast.workers set lease_until = holdfast.now() - interval '1 second'"


async def run(url: str, *statements: tuple[str, ...]) -> None:
    conn = await asyncpg.connect(url)
    for statement, *given in statements:
        await conn.execute(statement, *given)
    await conn.close()


async def in_thread(*arguments: str, url: str) -> Result:
    """The command has an event loop of its own."""
    return await asyncio.to_thread(holdfast, *arguments, url=url)


async def test_a_worker_is_shown_as_it_tells_of_itself_and_drained(database_url: str) -> None:
    info = '{"group": "gpu", "slots": 3, "metadata": {"zone": "a"}, "time_box": 60}'
    await run(database_url, (REGISTER, info))
    (worker,) = (await in_thread("workers", "list", "--json", url=database_url)).document["workers"]
    shown = await in_thread("workers", "show", worker["id"], "--json", url=database_url)
    assert shown.document.keys() == WORKER_KEYS
    assert (shown.document["group"], shown.document["metadata"]) == ("gpu", {"zone": "a"})
    assert "box until" in (await in_thread("workers", "show", worker["id"], url=database_url)).out

    assert (await in_thread("workers", "drain", worker["id"], url=database_url)).code == 2, "no reason"
    drained = await in_thread("workers", "drain", "--group", "gpu", "--reason", "new", url=database_url)
    assert drained.out == f"{worker['id']} asked to drain\n"
    nobody = await in_thread("workers", "drain", worker["id"], "--reason", "new", url=database_url)
    assert (nobody.out, nobody.code) == ("", 0)
    unknown = "00000000-0000-7000-8000-000000000000"
    assert (await in_thread("workers", "show", unknown, url=database_url)).code == 5


async def test_a_worker_that_computes_its_claim_size_shows_auto(database_url: str) -> None:
    await run(database_url, (REGISTER, '{"claim_size_from": "flag"}'))
    (worker,) = (await in_thread("workers", "list", "--json", url=database_url)).document["workers"]
    shown = (await in_thread("workers", "show", worker["id"], url=database_url)).lines
    assert [line.split() for line in shown if "claim size" in line] == [
        ["claim", "size", "auto"],
        ["claim", "size", "from", "flag"],
    ]


async def test_workers_are_recommended_for_a_queue(database_url: str) -> None:
    await run(database_url, ("select holdfast.enqueue('task') from generate_series(1, 90)",))
    found = await in_thread("workers", "recommend", "default", "--target", "30s", "--json", url=database_url)
    assert found.document.keys() == NEED_KEYS
    assert (found.document["ready"], found.document["workers"]) == (90, 3)
    assert "workers" in (await in_thread("workers", "recommend", "default", url=database_url)).out
    refused = await in_thread("workers", "recommend", "default", "--target", "0s", url=database_url)
    assert refused.code == 2


async def test_a_timer_sends_again_for_workers_that_never_came(database_url: str) -> None:
    owing = '{"time_box": 60, "continues": true}'
    await run(
        database_url, ("select holdfast.enqueue('task')",), (REGISTER, owing), (REGISTER, owing), (GONE,)
    )
    failed = await in_thread("workers", "continue", "--command", "no-such-program", url=database_url)
    assert failed.code == 1
    sent = await in_thread("workers", "continue", "--command", "true {continuation}", url=database_url)
    assert sent.out == "requested 2 workers\n"
    nothing = await in_thread("workers", "continue", "--command", "true", url=database_url)
    assert nothing.out == "requested 0 workers\n"
    assert (await in_thread("workers", "continue", url=database_url)).code == 2
