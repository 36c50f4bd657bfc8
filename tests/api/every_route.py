"""Calls every route of the OpenAPI document, so that a new route is tested without a line of its own."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any
from unittest.mock import patch

from httpx2 import ASGITransport, AsyncClient, Response

from holdfast.api.app import api_app
from holdfast.api.limits.limits import Limits
from holdfast.api.request.sample import ID
from holdfast.api.workers import time_box
from holdfast.api.workers.held_jobs import TOKEN
from holdfast.client.app import Holdfast
from tests.api.documented import HOOKS, document
from tests.api.scene import NAMES, a_scene
from tests.sql.actions import asked_action

LEAKS = ("Traceback", 'File "', "asyncpg", "postgresql://", "holdfast_owner", "SQLSTATE", "site-packages")
TASK = "tests.nothing"
SECOND = timedelta(seconds=1)
QUEUE = "tests"  # which no route pauses or moves


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    query: tuple[str, ...]
    body: Any  # the example of the document; None: it takes none
    media_type: str | None

    @property
    def names(self) -> list[str]:
        """Those in its path."""
        return re.findall(r"\{(\w+)\}", self.path)


@cache
def routes() -> tuple[Route, ...]:
    return tuple(
        _route(method.upper(), path, said)
        for path, methods in document()["paths"].items()
        for method, said in methods.items()
    )


def _route(method: str, path: str, said: dict[str, Any]) -> Route:
    query = tuple(one["name"] for one in said.get("parameters", ()) if one["in"] == "query")
    content = said.get("requestBody", {}).get("content", {})
    media_type = next(iter(content), None)
    return Route(method, path, query, content[media_type]["example"] if media_type else None, media_type)


class Called:
    """The API in this process, for callers that are not asynchronous, with the key of an admin.

    What the paths and the bodies name exists: a worker of this key, a job that it holds, one of everything
    else. So what is wrong in a request is not that.
    """

    def __init__(self, runner: asyncio.Runner, http: AsyncClient, scene: Mapping[str, str]) -> None:
        self._runner, self._http, self._scene = runner, http, scene
        self._worker, self._job, self._token = "", "", ""

    def __call__(self, method: str, url: str, **more: Any) -> Response:
        answered = self._runner.run(self._http.request(method, url, **more))
        if method != "GET" and answered.status_code < 300:
            self._worker = ""  # it may have stopped, and its job may have ended
        return answered

    def names(self, path: str) -> dict[str, str]:
        """What stands for the names in a path."""
        self._hold()
        noun = path.removeprefix("/api/v1/").split("/")[0]
        job = self._scene["job_id"] if noun == "dead" else self._job
        own = {"name": NAMES.get(noun, "spare"), "worker_id": self._worker, "job_id": job}
        return {**self._scene, **own}

    def place(self, path: str) -> str:
        return path.format(**self.names(path))

    def example(self, route: Route) -> Any:
        """Its body, about the job that the worker holds, and with a short time box."""
        self._hold()
        text = json.dumps(route.body).replace(ID, self._job).replace(TOKEN, self._token)
        return json.loads(text.replace('"time_box": 25', '"time_box": 1'))

    @property
    def token(self) -> str:
        return self._token

    def _hold(self) -> None:
        if self._worker:
            return
        self._post("/queues/resume", {})  # the route before may have paused all
        self._post("/jobs", {"task": TASK, "queue": QUEUE})
        registered = {"queues": [QUEUE], "tasks": [TASK], "lease": "1d"}
        self._worker = self._post("/workers", registered)["worker"]
        (held,) = self._post(f"/workers/{self._worker}/claim", {"limit": 1})["jobs"]
        self._job, self._token = held["id"], held["token"]

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        answered = self._runner.run(self._http.post(f"/api/v1{path}", json=body))
        assert answered.status_code < 300, answered.text
        return answered.json()


@contextmanager
def called(database_url: str) -> Iterator[Called]:
    """Requests that wait and streams end at once, because the server says that it stops; a time box has a
    second, because some of the jobs have unknown tasks and remain.
    """
    with (
        patch.object(time_box, "TIME_BOX", SECOND),
        patch.object(time_box, "LONGEST_BOX", SECOND),
        asyncio.Runner() as runner,
    ):
        app = Holdfast(database_url, name="tests")
        app.task(name=TASK, queue=QUEUE)(_nothing)  # without a task, there is no work for a time box
        key = runner.run(app.keys.create("all", "admin"))
        scene = runner.run(_scene(app))
        api = api_app(app, limits=Limits(rate=0), is_stopping=lambda: True, message_routes=True)
        transport = ASGITransport(app=api, raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {key.secret}"}
        http = AsyncClient(transport=transport, base_url="http://api", headers=headers, event_hooks=HOOKS)
        yield Called(runner, http, scene)
        runner.run(http.aclose())
        runner.run(app.close())


async def _nothing() -> None:
    pass


async def _scene(app: Holdfast) -> dict[str, str]:
    scene = await a_scene(app)
    await app.keys.create("spare", "viewer")
    async with app.database.transaction() as conn:
        return {**scene, "action_id": str(await asked_action(conn))}


def check(answered: Response, *what: object) -> None:
    """Neither a fault of the server nor a word about its insides; an error is a problem with a code."""
    status, text = answered.status_code, answered.text
    assert status < 500, (*what, status, text[:500])
    assert not [leak for leak in LEAKS if leak in text], (*what, text[:500])
    if status >= 400:
        assert answered.headers["content-type"] == "application/problem+json", (*what, text[:500])
        assert {"code", "detail", "request_id"} <= answered.json().keys(), what
