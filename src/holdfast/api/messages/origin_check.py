"""Which origins may call a route from a browser, where the content type does not keep other pages out."""

from collections.abc import Sequence

from starlette.requests import Request

from holdfast.api.request.origin import is_own_origin, named_origin
from holdfast.api.request.problem import RequestRefused


class OriginCheck:
    """These routes take a body of any content type, which a page of another site may send without asking."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = frozenset(allowed)

    async def __call__(self, request: Request) -> None:
        if "origin" not in request.headers or "*" in self._allowed:
            return
        if not is_own_origin(request.headers, (), self._allowed):
            raise RequestRefused(
                403,
                "origin_not_allowed",
                "This route refuses requests from web pages of another origin "
                f"(got {named_origin(request.headers)}).",
                "to allow an origin, start 'holdfast serve' with --allow-origin ORIGIN",
            )
