"""What an idle worker hears of some statements."""

import asyncio

import asyncpg

from tests.patience import PATIENCE


async def hints_of(database_url: str, *statements: str) -> list[str]:
    """In the order of their arrival; all statements are one transaction."""
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener, speaker = await asyncpg.connect(database_url), await asyncpg.connect(database_url)
    await listener.add_listener("holdfast_ready", lambda *args: heard.put_nowait(str(args[-1])))
    async with speaker.transaction():
        for statement in statements:
            await speaker.execute(statement)
    # What is sent later comes later, so everything before the mark has arrived with it.
    await speaker.execute("select pg_notify('holdfast_ready', 'mark')")
    arrived = []
    while (hint := await asyncio.wait_for(heard.get(), PATIENCE)) != "mark":
        arrived.append(hint)
    await listener.close()
    await speaker.close()
    return arrived
