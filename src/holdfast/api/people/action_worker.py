"""The worker of the queue `holdfast` inside `holdfast serve`: it does the bulk actions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from holdfast.client.action_request import ActionRequest
from holdfast.client.action_work import CHECKPOINT, ActionProgress, ActionWork
from holdfast.client.app import Holdfast
from holdfast.db.statement import Declare
from holdfast.model.action import ActionName
from holdfast.model.end_attempt import Reject
from holdfast.model.error import AccessDenied, Conflict, InvalidInput, NotAuthenticated, NotFound
from holdfast.model.queue import INTERNAL_QUEUE
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.worker.context.job_context import JobContext, token_of
from holdfast.worker.worker import Worker

SLOTS = 4  # actions at once in one process; a canary or a slow pace keeps one for long
# An action that is interrupted continues in another server, so a stop need not wait for it.
GRACE = timedelta(seconds=1)
AGAIN = timedelta(seconds=5)


class ActionApp(Holdfast):
    """An app with one task per action. It declares nothing: its names are reserved."""

    def __init__(self, database: str | None) -> None:
        super().__init__(database, name=INTERNAL_QUEUE)
        for action in ActionName:
            self.task(name=f"{INTERNAL_QUEUE}.{action}", queue=INTERNAL_QUEUE)(self._act)

    def declarations(self) -> dict[str, Declare]:
        return {}

    async def _act(
        self, ctx: JobContext, action: str, settings: dict[str, Any], reason: str, key: str
    ) -> dict[str, Any]:
        """`key`: the access key that asked; the database looks it up before each step."""
        saved = (await ctx.checkpoints()).get(CHECKPOINT, {})
        try:
            request = ActionRequest(ActionName(action), settings, reason)
            progress = ActionProgress(**saved)
            return await ActionWork(
                self.database, ctx.id, token_of(ctx), request, progress, ctx.progress
            ).run()
        except (AccessDenied, NotAuthenticated, InvalidInput, NotFound, Conflict) as exc:
            raise Reject(exc.message) from exc  # another attempt would be refused too


@asynccontextmanager
async def acting(database: str | None) -> AsyncIterator[None]:
    """Actions are done as long as the block runs; those under way are released at its end."""
    async with ActionApp(database) as app:
        actor = _Actor(app)
        working = asyncio.create_task(actor.run(), name="holdfast-actions")
        try:
            yield
        finally:
            actor.stop()
            await working


class _Actor:
    """One worker after the other: one that was drained, or failed, has a successor."""

    def __init__(self, app: ActionApp) -> None:
        self._app = app
        self._stopping = asyncio.Event()
        self._worker: Worker | None = None

    async def run(self) -> None:
        while not self._stopping.is_set():
            self._worker = Worker(self._app, [INTERNAL_QUEUE], slots=SLOTS, grace=GRACE, internal=True)
            try:
                await self._worker.run()
            except Exception as exc:
                emit(Event.WORKER_FAILED, because=exc)
            await self._pause()

    def stop(self) -> None:
        self._stopping.set()
        if self._worker is not None:
            self._worker.stop()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(AGAIN.total_seconds()):
                await self._stopping.wait()
        except TimeoutError:
            return
