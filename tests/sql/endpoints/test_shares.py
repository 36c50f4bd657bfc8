"""A queue with a share of an endpoint gets it within one call; what it does not use is lent."""

from holdfast.db.connect import Connection
from tests.builders import Running, complete
from tests.sql.endpoints.scene import (
    a_caller,
    a_fixed_endpoint,
    assert_balanced,
    blockers,
    calls,
    claimed,
    the_endpoint,
)


async def test_unused_share_is_lent_and_given_back_within_one_call(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 10, shares={"chat": 0.3})
    await calls(conn, 100, queue="bulk")
    bulk, chat = await a_caller(conn, "bulk"), await a_caller(conn, "chat")
    running = await claimed(conn, bulk)
    assert len(running) == 10, "nobody chats: all is lent"

    await calls(conn, 5, queue="chat")
    talking: list[Running] = []
    for job in running[:5]:
        await complete(conn, job)
        assert len(await claimed(conn, bulk)) == (1 if len(talking) == 3 else 0)
        talking += await claimed(conn, chat)
    assert len(talking) == 3, "three of ten are guaranteed, and bulk took the others back"
    assert (await the_endpoint(conn))["in_flight"] == 10
    await assert_balanced(conn)


async def test_a_queue_may_take_more_than_its_share_if_nobody_else_wants_it(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 10, shares={"chat": 0.3, "bulk": 0.5})
    await calls(conn, 100, queue="chat")
    assert len(await claimed(conn, await a_caller(conn, "chat"))) == 10


async def test_two_queues_that_both_want_all_get_their_shares(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 10, shares={"chat": 0.3, "bulk": 0.5})
    await calls(conn, 100, queue="chat")
    await calls(conn, 100, queue="bulk")
    await calls(conn, 100, queue="other")
    assert len(await claimed(conn, await a_caller(conn, "chat"))) == 5, "five are kept for bulk"
    assert len(await claimed(conn, await a_caller(conn, "other"))) == 0
    assert len(await claimed(conn, await a_caller(conn, "bulk"))) == 5


async def test_explain_says_that_the_rest_is_kept_for_others(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 2, shares={"chat": 0.5})
    (*_, waits) = await calls(conn, 3, queue="bulk")
    await calls(conn, 1, queue="chat")
    bulk = await a_caller(conn, "bulk")
    assert len(await claimed(conn, bulk)) == 1
    assert await claimed(conn, bulk) == []
    assert await blockers(conn, waits) == ["share"]


async def test_one_worker_of_both_queues_never_starves_the_share(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 4, shares={"chat": 0.5})
    await calls(conn, 100, queue="bulk")
    worker = await a_caller(conn, "bulk", "chat")
    running = await claimed(conn, worker)
    chats = set(await calls(conn, 2, queue="chat"))
    for job in running[:2]:
        await complete(conn, job)
    assert {job.id for job in await claimed(conn, worker)} == chats


async def test_a_small_limit_does_not_round_a_share_down_to_nothing(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 2, shares={"chat": 0.3})
    await calls(conn, 10, queue="bulk")
    await calls(conn, 10, queue="chat")
    assert len(await claimed(conn, await a_caller(conn, "bulk"))) == 1
    assert len(await claimed(conn, await a_caller(conn, "chat"))) == 1


async def test_one_call_at_a_time_is_not_shared(conn: Connection) -> None:
    await a_fixed_endpoint(conn, 1, shares={"chat": 0.3})
    await calls(conn, 10, queue="bulk")
    await calls(conn, 10, queue="chat")
    assert len(await claimed(conn, await a_caller(conn, "bulk"))) == 1
