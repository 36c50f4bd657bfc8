"""An app of a module works on a database of the test, whichever one it names."""

import asyncio

from holdfast import Holdfast
from holdfast.testing import assert_enqueued, count_by_state, isolated

NOWHERE = "postgresql://nobody@127.0.0.1:1/nowhere"


async def test_an_app_that_names_a_database_works_on_a_fresh_one_each_time(server_url: str) -> None:
    app = Holdfast(NOWHERE)

    @app.task(queue="mail", priority=70)
    async def greet(name: str) -> None: ...

    for _ in range(2):
        async with isolated(app, server_url):
            assert await count_by_state(app.database) == {}
            await greet.enqueue("Ada")
            await asyncio.to_thread(greet.enqueue_sync, "Grace")
            one, other = await assert_enqueued(app.database, task=greet, count=2)
            assert (one.priority, other.priority) == (70, 70)


async def test_afterwards_the_app_is_on_its_own_database_again(database_url: str, server_url: str) -> None:
    app = Holdfast(database_url)

    @app.task()
    async def greet(name: str) -> None: ...

    await asyncio.to_thread(greet.enqueue_sync, "Ada")
    async with app:
        async with isolated(app, server_url):
            await asyncio.to_thread(greet.enqueue_sync, "Grace")
            await assert_enqueued(app.database, task=greet, payload={"name": "Ada"}, count=0)
        await assert_enqueued(app.database, task=greet, payload={"name": "Ada"}, count=1)
        await asyncio.to_thread(greet.enqueue_sync, "Linus")
        await assert_enqueued(app.database, task=greet, count=2)
