"""The HTTP answer inside an exception of any library, recognised by its attributes; none is imported.

httpx, requests and openai keep it in `response`; aiohttp has `status`, urllib `code`, both with `headers`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from holdfast.model.retry_after_header import read_retry_after


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An error answer: its status and its headers, in lower case."""

    status: int
    headers: Mapping[str, str]

    def retry_after(self, now: datetime | None = None) -> timedelta | None:
        return read_retry_after(self.headers, now)

    @property
    def limits_the_rate(self) -> bool:
        """Whether its headers name a rate limit, whatever the status."""
        used_up = self.headers.get("x-ratelimit-remaining", "").strip() == "0"
        return used_up or "retry-after" in self.headers or "retry-after-ms" in self.headers


def answer_in(exc: BaseException) -> HttpAnswer | None:
    """None if the exception carries no error answer."""
    for status, carrier in _statuses(exc):
        if status >= 400:
            return HttpAnswer(status, _headers(carrier))
    return None


def status_in(exc: BaseException) -> int | None:
    """The status of any answer that it carries; for example, a 200 whose body is not JSON."""
    found = [status for status, _ in _statuses(exc)]
    return next((status for status in found if status >= 400), found[0] if found else None)


def _statuses(exc: BaseException) -> Iterator[tuple[int, object]]:
    """Each with its carrier. The `code` of SystemExit is not a status, nor is a low code elsewhere."""
    if not isinstance(exc, Exception):
        return
    for carrier in (attribute(exc, "response"), exc):
        for name, least in (("status_code", 200), ("status", 200), ("code", 400)):
            status = attribute(carrier, name)
            if isinstance(status, int) and least <= status <= 599:
                yield int(status), carrier


def attribute(value: object, name: str) -> Any:
    """A property that raises must not hide the failure under examination."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def _headers(carrier: object) -> dict[str, str]:
    items = attribute(attribute(carrier, "headers"), "items")
    return {str(name).lower(): str(value) for name, value in items()} if callable(items) else {}
