"""Answers as JSON, and what the OpenAPI document says about them."""

from typing import Any

from starlette.responses import Response

from holdfast.api.request.sample import sampled
from holdfast.model.json_document import json_text

OpenApi = dict[int | str, dict[str, Any]]

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Does not change between versions."},
        "detail": {"type": "string"},
        "hint": {"type": ["string", "null"], "description": "What to do."},
        "path": {"type": "string", "description": "The JSON path of what is wrong."},
        "line": {"type": "integer", "description": "The line of what is wrong, from 1."},
        "request_id": {"type": "string"},
    },
}
_WORDS = {
    400: "The request cannot be read.",
    401: "The access key is missing, unknown, expired or revoked.",
    403: "The access key's role or scope does not allow this.",
    404: "It does not exist, or it is outside of the access key's scope.",
    408: "The request was not received in time.",
    409: "The request contradicts what is stored.",
    413: "The body is too large.",
    422: "A value is wrong.",
    429: "Too many requests: see Retry-After.",
    431: "The address and the headers are too large.",
    503: "The database does not answer, the server is busy, or a check fails.",
}


def answer(value: Any, status: int = 200) -> Response:
    return Response(json_text(value).encode("utf-8", "replace"), status, media_type="application/json")


def answers(said: Any, *problems: int, status: int = 200, media_type: str = "application/json") -> OpenApi:
    """The answer of a route, as `sampled` reads it, and the problems that it may answer with.

    The limits of the server hold for every route, and are added.
    """
    always = {413, 429, 431, 503} if 401 in problems else {413, 431}
    done = sampled(said)
    shown = {"schema": done.schema, "example": done.example}
    found: OpenApi = {status: {"description": "Done.", "content": {media_type: shown}}}
    for problem in sorted(always.union(problems)):
        content = {"application/problem+json": {"schema": _PROBLEM}}
        found[problem] = {"description": _WORDS[problem], "content": content}
    return found
