"""Lists have an end, and counts that were cut off say so."""

import asyncio

import asyncpg

from holdfast.model.human_readable import some
from tests.cli.command import holdfast

QUEUES = """
select holdfast.enqueue('t', '{}', format('queue %s', lpad(i::text, 4, '0'))) from generate_series(1, 25) as i
"""
CROWD = """
select count(*)
from holdfast.enqueue_jobs(array['t'], array_fill('{}'::json, array[10000]), '{"queue": "mail"}')
"""


def do(url: str, statement: str) -> None:
    async def work() -> None:
        conn = await asyncpg.connect(url)
        await conn.execute(statement)
        await conn.close()

    asyncio.run(work())


def test_lists_of_queues_and_endpoints_have_a_limit_and_go_on(database_url: str) -> None:
    do(database_url, QUEUES)
    first = holdfast("queues", "list", "--limit", "10", url=database_url)
    assert len(first.out.splitlines()) == 11
    assert "more than 10" in first.err
    rest = holdfast("queues", "list", "--after", "queue 0020", "--json", url=database_url).document["queues"]
    assert [one["name"] for one in rest] == [f"queue {n:04}" for n in range(21, 26)]
    stats = holdfast("stats", "--limit", "5", "--json", url=database_url).document
    assert (len(stats["live"]), stats["more_queues"]) == (5, True)
    do(database_url, "select holdfast.declare_endpoint('e ' || i) from generate_series(1, 3) as i")
    found = holdfast("endpoints", "list", "--limit", "2", url=database_url)
    assert len(found.out.splitlines()) == 3
    assert "more than 2" in found.err


def test_the_doctor_names_ten_queues_and_a_count(database_url: str) -> None:
    do(database_url, QUEUES)
    findings = holdfast("doctor", "--json", url=database_url).document["findings"]
    (told,) = [one["message"] for one in findings if one["check"] == "queues"]
    assert told.count("queue 00") == 10
    assert " and 15 more. " in told


def test_a_count_that_was_cut_off_says_more_than(database_url: str) -> None:
    do(database_url, CROWD)
    assert ">" not in holdfast("queues", "list", url=database_url).out, "exactly as many as are counted"
    do(database_url, "select holdfast.enqueue('t', '{}', 'mail')")
    assert ">10,000" in holdfast("queues", "list", url=database_url).out
    assert ">10,000" in holdfast("queues", "show", "mail", url=database_url).out
    assert ">10,000" in holdfast("stats", url=database_url).out
    (mail,) = holdfast("queues", "list", "--json", url=database_url).document["queues"]
    assert (mail["ready"], mail["more_than"]) == (10_000, ["ready"])


def test_names_are_cut_after_ten() -> None:
    names = [str(n) for n in range(12)]
    assert some(names[:10]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert some(names).endswith("9 and 2 more")
    assert some(names, is_cut=True).endswith("9 and more than 2 more")
