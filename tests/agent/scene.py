"""Agents against a real model server over HTTP, with a real worker."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from holdfast.agent.agent import Agent
from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.db.recorded_calls import list_calls
from holdfast.model.id import JobId
from holdfast.model.job import Job
from holdfast.model.recorded_call import Call
from holdfast.testing import ModelServer
from holdfast.testing.model_server import AnswerCallback, ChatRequest, in_turn
from tests.worker.working import ended, working

QUEUE = "agents"


class Triage(BaseModel):
    score: int = Field(ge=0, le=10)
    why: str


WRITTEN = {"score": 7, "why": "it is about boats"}


@dataclass(slots=True)
class Scene:
    """`asked` are the calls as the server saw them."""

    app: Holdfast
    server: ModelServer
    asked: list[ChatRequest]

    def agent(self, name: str = "triage", retry: Any = (0, 0), **options: Any) -> Task[..., Any]:
        given = {"endpoint": options.pop("endpoint")} if "endpoint" in options else {}
        settings = {"model": "m", "url": self.server.url, "system": "You triage.", **options}
        return self.app.task(queue=QUEUE, retry=[*retry], **given)(Agent(name, **settings))

    async def run(self, task: Task[..., Any], **payload: Any) -> Job:
        """The job, once it has ended."""
        handle = await task.enqueue(**(payload or {"title": "Boats"}))
        async with working(self.app, QUEUE):
            return await ended(handle)

    async def calls(self, job: UUID) -> list[Call]:
        return await list_calls(self.app.database, JobId(job))

    def told(self, call: int = -1) -> list[tuple[str, str]]:
        """Role and text of each message of a call."""
        return [(message.role, message.text) for message in self.asked[call].messages]


@asynccontextmanager
async def scene(app: Holdfast, *reactions: Any, **options: Any) -> AsyncIterator[Scene]:
    """The server answers with these one after the other, and fails the test when it is asked once more."""
    asked: list[ChatRequest] = []
    script = in_turn(*reactions)

    def answer(request: ChatRequest) -> Any:
        asked.append(request)
        return script(request)

    callback: AnswerCallback = answer
    async with ModelServer(**{"base": 0, "answer": callback, **options}) as server:
        yield Scene(app, server, asked)
