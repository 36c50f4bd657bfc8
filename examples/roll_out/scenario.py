"""The phases of the roll-out, in order, with messages of six users at once in each of them."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from examples.options import Options
from examples.roll_out.checks import Evidence, judge, plant
from examples.roll_out.new_worker import HERE, Scripts
from examples.roll_out.old_worker import old_worker
from examples.verdict import Verdict
from holdfast import Timeout
from holdfast.client.import_rows import import_rows
from holdfast.db import rollouts
from holdfast.db.connect import Database
from holdfast.model.import_mapping import read_mapping

ROLLOUT = "new-worker"
USERS = 30
LOOK_EVERY = 0.05
PATIENCE = 120.0
PRODUCERS = 6

SEND = """
insert into chat_messages (username, text, priority) values ($1, 'hello', 1 + length($1) % 10)
returning id, holdfast.in_rollout('new-worker', $1) as is_in
"""
LEFT = "select count(*) as messages from chat_messages where status <> 'complete'"
HANDED_OVER = "select message from handed_over where message = any ($1::bigint[])"
OLD_PENDING = """
select id from chat_messages as m
where status = 'pending' and not exists (select from handed_over as h where h.message = m.id)
"""


class NewWorker(Protocol):
    """How the new worker is started and stopped, and how the old one gets its messages back."""

    def new_worker(self, share: str) -> AbstractAsyncContextManager[None]: ...

    async def switch_back(self) -> None: ...


async def play(options: Options) -> Verdict:
    async with Database(options.database_url, pool_size=PRODUCERS + 2) as database:
        scripts = Scripts(database, options.directory / "new-worker.log")
        evidence = await Play(options, database, scripts).run()
        if options.plant is not None:
            await plant(database, options.plant)
        return await judge(database, evidence)


class Play:
    def __init__(self, options: Options, database: Database, scripts: NewWorker) -> None:
        self._options, self._database, self._scripts = options, database, scripts
        self._evidence = Evidence()

    async def run(self) -> Evidence:
        for file in ("old_queue.sql", "side_by_side.sql"):
            await self._database.execute((HERE / file).read_text())
        async with old_worker(self._database):
            await self._phase("off")
            async with self._scripts.new_worker("20%"):
                await self._phase("20%")
            await self._back()
            async with self._scripts.new_worker("50%"):
                await self._phase("50%")
        async with self._scripts.new_worker("50%"):
            await self._send("50%, the old worker is stopped")
            await rollouts.set_rollout(self._database, ROLLOUT, 100, "all users", "example")
            await self._import()
            await self._phase("on")
        return self._evidence

    async def _phase(self, share: str) -> None:
        """New messages, until all are answered."""
        await self._send(share)
        await self._done()

    async def _send(self, phase: str) -> list[int]:
        """Six users at once send a message each, until every user has sent one."""
        users, sent = iter([f"user-{number}" for number in range(USERS)]), list[int]()

        async def producer() -> None:
            for user in users:
                (row,) = await self._database.fetch(SEND, user)
                self._evidence.expect(row["id"], user, phase, "new" if row["is_in"] else "old")
                sent.append(row["id"])

        await asyncio.gather(*(producer() for _ in range(PRODUCERS)))
        self._options.display.say(f"{phase}: {len(sent)} messages")
        return sent

    async def _done(self) -> None:
        end = time.monotonic() + PATIENCE
        while (await self._database.fetch(LEFT))[0]["messages"]:
            if time.monotonic() > end:
                raise Timeout(f"The messages were not answered in {PATIENCE:.0f} s.")
            await asyncio.sleep(LOOK_EVERY)

    async def _back(self) -> None:
        """The new worker is gone: the messages of its users wait, until all is switched back."""
        sent = await self._send("20%, the new worker is stopped")
        waiting = [row["message"] for row in await self._database.fetch(HANDED_OVER, sent)]
        await self._scripts.switch_back()
        self._evidence.take_back(waiting)
        self._options.display.say(f"switched back: {len(waiting)} messages return to the old worker")
        await self._phase("off again")

    async def _import(self) -> None:
        """What the old worker has left; twice, of which the second adds nothing."""
        for row in await self._database.fetch(OLD_PENDING):
            self._evidence.workers[row["id"]] = "new"
        mapping = read_mapping((HERE / "chat_messages.toml").read_text(), "chat_messages.toml")
        for _ in range(2):
            self._evidence.imports.append(
                await import_rows(self._database, "chat_messages", mapping, "example")
            )
