"""Lists in pages: `limit` and `cursor` in the query, the items and `next` in the answer."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import Query
from starlette.responses import Response

from holdfast.api.request.answer import answer
from holdfast.api.request.sample import typed
from holdfast.model.error import InvalidOption

MOST = 1000
FARTHEST = 10_000  # items of a list that is read from its beginning each time

Size = Annotated[int, Query(ge=1, le=MOST, description="How many items a page has at most.")]
Cursor = Annotated[str | None, Query(description="The `next` of the page before.")]
T = TypeVar("T")


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def paged(name: str, item: Any, following: str, **more: Any) -> dict[str, Any]:
    """What the OpenAPI document says of a page."""
    return {name: [item], "next": typed(str | None, following), **more}


def page(name: str, items: Sequence[Any], following: object, **more: Any) -> Response:
    """`following`: the place to continue from; None at the end."""
    return answer({name: list(items), "next": None if following is None else str(following), **more})


async def page_by_name(
    name: str,
    read: Callable[[int, str | None], Awaitable[list[N]]],
    size: int,
    cursor: str | None,
    shown: Callable[[N], Any] = lambda item: item,
) -> Response:
    """`read` gets how many to read and the name that they come after; `shown` makes a document of an item."""
    found = await read(size + 1, cursor)
    following = found[size - 1].name if len(found) > size else None
    return page(name, [shown(item) for item in found[:size]], following)


async def page_by_place(
    name: str, read: Callable[[int], Awaitable[list[T]]], size: int, cursor: str | None
) -> Response:
    """For short lists: the cursor is how many items came before; `read` gets how many to read."""
    start = read_number(cursor, FARTHEST) or 0
    found = await read(start + size + 1)
    has_more = len(found) > start + size and start + size < FARTHEST
    return page(name, found[start : start + size], start + size if has_more else None)


def read_number(cursor: str | None, most: int) -> int | None:
    """A cursor that is a number."""
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 20 and int(cursor) <= most):
        raise wrong_cursor()
    return int(cursor)


def wrong_cursor() -> InvalidOption:
    return InvalidOption(
        "cursor must be the value `next` of the previous page.", "leave out cursor for the first page"
    )
