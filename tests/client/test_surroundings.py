"""What stands below `@app.resources` and `@app.around` is looked at when the app is written."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler


async def gives_nothing() -> AsyncIterator[None]:
    yield


async def coroutine() -> None: ...


def generator() -> Any:
    yield


async def with_parameter(api: object) -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize("wrong", [coroutine, generator, with_parameter, 7, Holdfast])
def test_what_cannot_give_resources_is_refused_where_it_is_written(wrong: Any) -> None:
    with pytest.raises(BadHandler) as caught:
        Holdfast().resources(wrong)
    assert caught.value.hint


def test_an_app_has_resources_once() -> None:
    app = Holdfast()
    app.resources(gives_nothing)
    with pytest.raises(BadHandler, match="already"):
        app.resources(gives_nothing)


@pytest.mark.parametrize("wrong", [coroutine, generator, gives_nothing, 7])
def test_what_cannot_wrap_a_handler_is_refused_where_it_is_written(wrong: Any) -> None:
    with pytest.raises(BadHandler) as caught:
        Holdfast().around(wrong)
    assert caught.value.hint
