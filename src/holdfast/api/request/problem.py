"""Errors as application/problem+json (RFC 9457): a status, a code that does not change, and what to do."""

from typing import Any

from starlette.responses import Response

from holdfast.model.error import (
    AccessDenied,
    Conflict,
    DatabaseError,
    DatabaseUnavailable,
    HoldfastError,
    InvalidInput,
    InvalidOption,
    InvalidPayload,
    LeaseLost,
    NotAuthenticated,
    NotFound,
    SchemaMismatch,
    Timeout,
    TransactionConflict,
)
from holdfast.model.json_document import json_text

MEDIA_TYPE = "application/problem+json"
LONGEST_DETAIL = 2000  # it may quote a value of the request
OUT_OF_RANGE = "22"  # the class of SQLSTATEs for values that fit no type
AGAIN_AFTER = 5  # seconds, for what passes by itself
# The first that fits; everything else is a fault of the server.
STATUSES: tuple[tuple[type[HoldfastError], int], ...] = (
    (NotAuthenticated, 401),
    (AccessDenied, 403),
    (NotFound, 404),
    (Conflict, 409),
    (LeaseLost, 409),
    (InvalidInput, 422),
    (TransactionConflict, 503),
    (DatabaseUnavailable, 503),
    (SchemaMismatch, 503),
    (Timeout, 503),
    (DatabaseError, 500),
)


class RequestRefused(Exception):
    """A request that is refused before its route decides anything about it."""

    def __init__(self, status: int, code: str, detail: str, hint: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.hint, self.more = status, code, detail, hint, more


def problem_of(exc: Exception) -> tuple[int, dict[str, Any]]:
    """Status and document. What a fault of the server says stays in the log."""
    if isinstance(exc, RequestRefused):
        return exc.status, _document(exc.status, exc.code, exc.detail, exc.hint, **exc.more)
    if isinstance(exc, DatabaseError) and (exc.sqlstate or "").startswith(OUT_OF_RANGE):
        return 422, _document(422, "invalid_input", "A value is out of range.", "correct the value")
    status = next((status for kind, status in STATUSES if isinstance(exc, kind)), 500)
    if not isinstance(exc, HoldfastError) or status >= 500:
        code = exc.code if isinstance(exc, HoldfastError) and status == 503 else "internal_error"
        hint = "try again later" if status == 503 else "look for the request's id in the server's log"
        return status, _document(status, code, "The server could not answer this request.", hint)
    path = exc.path if isinstance(exc, InvalidPayload | InvalidOption) else None
    more = {} if path is None else {"path": path}
    return status, _document(status, exc.code, exc.message, exc.hint, **more)


def problem(status: int, document: dict[str, Any], request_id: str) -> Response:
    again = str(document.get("retry_after", AGAIN_AFTER))
    headers = {"Retry-After": again} if status in (429, 503) else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    text = json_text({**document, "request_id": request_id})
    return Response(text.encode("utf-8", "replace"), status, headers, MEDIA_TYPE)


def _document(status: int, code: str, detail: str, hint: str | None, **more: Any) -> dict[str, Any]:
    title = code.replace("_", " ").capitalize()
    return {
        "type": "about:blank",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail[:LONGEST_DETAIL],
        "hint": hint,
        **more,
    }
