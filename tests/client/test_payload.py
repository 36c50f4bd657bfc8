"""From a call to a payload and back to arguments."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from holdfast.client.app import Holdfast
from holdfast.db.connect import Connection
from holdfast.db.statement import fetch
from holdfast.model.error import InvalidInput, InvalidPayload
from holdfast.model.payload import decode

SECRET = "s3cr3t-v4lu3"


class Colour(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: float


class Post(BaseModel):
    title: str
    at: datetime


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    at: datetime
    name: str = Field(alias="Name")


class LongPost(Post):
    body: str


VALUES: list[tuple[Any, Any]] = [
    (int, 3),
    (float, 3),
    (bool, True),
    (str | None, None),
    (list[str], ["a"]),
    (dict[str, list[int]], {"a": [1]}),
    (Literal["a", "b"], "b"),
    (Any, {"a": [1, None, "x"]}),
    (Colour, Colour.RED),
    (Point, Point(1, 2.5)),
    (Post, Post(title="t", at=datetime(2026, 1, 2, tzinfo=UTC))),
    (Strict, Strict(at=datetime(2026, 1, 2, tzinfo=UTC), Name="n")),
    (list[Post] | None, [Post(title="t", at=datetime(2026, 1, 2, tzinfo=UTC))]),
    (datetime, datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
    (timedelta, timedelta(days=1, microseconds=3)),
    (UUID, uuid4()),
    (Decimal, Decimal("0.10")),
    (tuple[int, str], (1, "a")),
    (set[int], {1, 2}),
    (bytes, b"abc"),
]


def task_taking(annotation: Any) -> Any:
    def handler(value: Any) -> None: ...

    handler.__annotations__["value"] = annotation
    return Holdfast().task()(handler)


@pytest.mark.parametrize(("annotation", "value"), VALUES)
def test_an_argument_comes_back_equal_and_of_the_annotated_type(annotation: Any, value: Any) -> None:
    task = task_taking(annotation)
    arguments = task.bind(decode(task.call(value).payload))
    assert arguments == {"value": value}
    assert type(arguments["value"]) is type(value)


WRONG: list[tuple[Any, Any]] = [
    (int, "3"),
    (int, True),
    (float, "3"),
    (str, None),
    (list[str], [1]),
    (list[str], "abc"),
    (dict[str, int], {"a": "b"}),
    (Literal["a"], "b"),
    (str, "a\x00b"),
    (Any, object()),
    (float, float("nan")),
    (Colour, "green"),
    (Point, {"x": "no"}),
    (Post, {"title": "t"}),
    (Post, LongPost(title="t", at=datetime(2026, 1, 2, tzinfo=UTC), body="lost")),
    (SecretStr, SecretStr("hidden")),
    (bytes, b"\xff"),
]


@pytest.mark.parametrize(("annotation", "value"), WRONG)
def test_an_argument_that_would_not_come_back_equal_is_refused_by_name(annotation: Any, value: Any) -> None:
    with pytest.raises(InvalidPayload) as refused:
        task_taking(annotation).call(value)
    assert "$.value" in refused.value.message
    assert refused.value.path.startswith("$.value")


def test_a_refusal_says_which_field_of_a_model_is_wrong() -> None:
    with pytest.raises(InvalidPayload) as refused:
        task_taking(list[Point]).call([{"x": 1, "y": 2}, {"x": "no", "y": 2}])
    assert refused.value.path == "$.value[1].x"


@pytest.mark.parametrize(
    ("args", "kwargs", "named"),
    [
        ((), {}, "name"),
        ((1, 2, 3), {}, "takes 2 positional values"),
        (("a",), {"nam": 1}, "nam"),
        (("a",), {"name": "a"}, "name was passed twice"),
    ],
)
def test_a_call_that_does_not_fit_the_signature_is_refused(
    args: tuple[Any, ...], kwargs: dict[str, Any], named: str
) -> None:
    def handler(name: str, times: int = 1) -> None: ...

    task: Any = Holdfast().task()(handler)
    with pytest.raises(InvalidPayload, match=named):
        task.call(*args, **kwargs)


@pytest.mark.parametrize(
    ("payload", "path"),
    [({}, "$.name"), ({"name": "a", "age": 3}, "$.age"), ({"name": 3}, "$.name"), ([1], "$"), (None, "$")],
)
def test_a_stored_payload_that_does_not_fit_the_handler_is_refused_with_its_path(
    payload: Any, path: str
) -> None:
    @Holdfast().task()
    def handler(name: str, times: int = 1) -> None: ...

    with pytest.raises(InvalidPayload) as refused:
        handler.bind(payload)
    assert refused.value.path == path


def test_defaults_are_left_to_the_handler() -> None:
    @Holdfast().task()
    def handler(name: str, times: int = 1, colour: Colour = Colour.RED) -> None: ...

    assert handler.call("a").payload == '{"name":"a"}'
    assert handler.bind({"name": "a"}) == {"name": "a"}


def test_what_a_handler_returns_is_written_by_its_annotation() -> None:
    @Holdfast().task()
    def handler() -> list[Point]:
        return []

    assert handler.encode_output([Point(1, 2.5)]) == '[{"x":1,"y":2.5}]'


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


@pytest.mark.parametrize(
    ("annotation", "value", "told"),
    [
        (int, SECRET, "str of length 12"),
        (list[int], [SECRET], "list of length 1"),
        (dict[str, int], {"a": SECRET}, "dict of length 1"),
        (Literal["a", "b"], SECRET, "str of length 12"),
        (datetime, SECRET, "str of length 12"),
        (UUID, f"0{SECRET}", "str of length 13"),
        (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": SECRET}, "'cat', 'dog'"),
        (Any, {("a", SECRET): 1}, "tuple of length 2"),
    ],
)
def test_a_refused_value_is_not_shown(annotation: Any, value: Any, told: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        task_taking(annotation).call(value)
    said = f"{refused.value} {refused.value.hint} {refused.value.path}"
    assert SECRET not in said
    assert told in said


async def test_a_value_that_the_driver_refuses_is_not_shown(conn: Connection) -> None:
    with pytest.raises(InvalidInput) as refused:
        await fetch(conn, "select $1::int", SECRET)
    assert SECRET not in str(refused.value)
    assert "str" in str(refused.value)
