"""What can be a task, and what is refused at once."""

import dataclasses
import io
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.client.task import Task
from holdfast.model.context import Context
from holdfast.model.error import BadHandler, InvalidOption, UnknownTask


class OurContext(Context):
    pass


def positional_only(a: int, /) -> None: ...
def var_positional(*values: int) -> None: ...
def var_keyword(**values: int) -> None: ...
def open_file(file: io.BytesIO) -> None: ...
def returns_a_file() -> io.BytesIO: ...
def odd_default(a: Any = object()) -> None: ...
def wrong_default(a: int = "one") -> None: ...  # type: ignore[assignment]
def generator() -> Iterator[int]: yield 1
async def async_generator() -> AsyncIterator[int]: yield 1
def two_contexts(a: OurContext, b: OurContext) -> None: ...
def unknown_name(a: "Nowhere") -> None: ...  # type: ignore[name-defined]
