"""A typed function is a tool: the model is told what it takes, and gets what it returns."""

import threading
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from holdfast.agent.tool import Tool, as_text
from holdfast.client.app import Holdfast
from holdfast.model.context import Context
from holdfast.model.error import BadHandler
from holdfast.testing import ToolCall
from holdfast.worker.context.job_context import JobContext
from tests.agent.scene import scene


class Place(BaseModel):
    city: str


NO_TAGS: list[str] = []


@dataclass
class Row:
    n: int


def search(
    ctx: JobContext,
    query: Annotated[str, Field(description="what to look for")],
    kind: Literal["web", "books"] = "web",
    since: date | None = None,
    near: Place | None = None,
    tags: list[str] = NO_TAGS,
) -> list[str]:
    """Search the archive.

    Slow, so ask once.
    """
    return [query, kind, *tags]


def test_the_schema_says_what_the_annotations_say() -> None:
    spec = Tool(search).spec
    schema = spec.parameters
    assert (spec.name, spec.description) == ("search", "Search the archive.\n\nSlow, so ask once.")
    assert list(schema["properties"]) == ["query", "kind", "since", "near", "tags"]
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["query"] == {"type": "string", "description": "what to look for"}
    assert schema["properties"]["kind"]["enum"] == ["web", "books"]
    assert schema["properties"]["kind"]["default"] == "web"


def test_arguments_come_as_annotated() -> None:
    text = '{"query": "boats", "since": "2030-01-02", "near": {"city": "Kiel"}}'
    found = Tool(search).arguments.read(text)
    assert found == {
        "query": "boats",
        "kind": "web",
        "since": date(2030, 1, 2),
        "near": Place(city="Kiel"),
        "tags": [],
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        ([1, {"a": Place(city="Kiel")}], '[1,{"a":{"city":"Kiel"}}]'),
        (Row(3), '{"n":3}'),
        (date(2030, 1, 2), '"2030-01-02"'),
    ],
)
def test_what_it_returns_is_text_or_json(value: Any, text: str) -> None:
    assert as_text(value) == text


def positional(a: int, /) -> None: ...
def several(*a: int) -> None: ...
def named(**a: int) -> None: ...
def odd(a: threading.Lock) -> None: ...


@pytest.mark.parametrize("function", [positional, several, named, odd, lambda: 1, 3, Place])
def test_what_a_model_cannot_call_is_refused(function: Any) -> None:
    with pytest.raises(BadHandler) as caught:
        Tool(function)
    assert caught.value.hint


async def test_plain_functions_run_in_a_thread_and_get_the_context(app: Holdfast) -> None:
    seen: list[Any] = []

    def look(ctx: JobContext, word: str) -> str:
        seen.extend([ctx.id, threading.current_thread() is threading.main_thread(), word])
        return "found"

    async with scene(app, ToolCall("look", {"word": "x"}), "") as s:
        job = await s.run(s.agent(tools=[look]))
    assert seen == [job.id, False, "x"]
    assert s.told(1)[-1] == ("tool", "found")
    (offered,) = [tool for tool in s.asked[0].document["tools"] if tool["function"]["name"] == "look"]
    assert list(offered["function"]["parameters"]["properties"]) == ["word"]


async def test_a_long_result_is_cut(app: Holdfast) -> None:
    async def dump() -> str:
        return "x" * 1_000_000

    async with scene(app, ToolCall("dump", {}), "") as s:
        await s.run(s.agent(tools=[dump]))
    text = s.told(1)[-1][1]
    assert len(text) < 201_000
    assert text.endswith("(cut)")


def test_the_context_is_known_by_its_type_only() -> None:
    def tool(context: Context, ctx: str) -> None: ...

    assert list(Tool(tool).spec.parameters["properties"]) == ["ctx"]
