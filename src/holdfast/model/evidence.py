"""What a handler's exception says about the endpoint that it called.

good    the endpoint answered, with a status below 500 other than 408 and 429
bad     it did not answer, or with 408, 429 or 5xx
none    no call is known: the error is the handler's own

Libraries are recognised by the names and attributes of their exceptions; none is imported.
"""

import errno
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

from holdfast.model.error import HoldfastError
from holdfast.model.http_answer import attribute, status_in


class Evidence(StrEnum):
    GOOD = "good"
    BAD = "bad"
    NONE = "none"

    @classmethod
    def of(cls, ok: bool) -> "Evidence":
        return cls.GOOD if ok else cls.BAD


# A 429 that the task does not class as a rate limit is a call that the endpoint refused.
BAD_BELOW_500 = frozenset({408, 429})
# By top-level module, the classes for "no connection" and "no answer"; subclasses match too.
NO_ANSWER = {
    "socket": {"gaierror", "herror"},
    "ssl": {"SSLError"},
    "http": {"HTTPException"},
    "urllib": {"URLError"},
    "urllib3": {"MaxRetryError", "ProtocolError", "TimeoutError"},
    "httpx": {"TransportError"},
    "httpx2": {"TransportError"},
    "requests": {"ChunkedEncodingError", "ConnectionError", "Timeout"},
    "aiohttp": {"ClientConnectionError", "ClientPayloadError"},
    "openai": {"APIConnectionError"},
}
# The errno of a plain OSError. None: asyncio's error for several failed addresses has no errno.
UNREACHABLE = {None, errno.EHOSTDOWN, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ENETUNREACH}
LONGEST_CHAIN = 50


def evidence_in(exc: BaseException) -> Evidence | None:
    """The first evidence in the chain of causes, or None."""
    for one in islice(_chain(exc), LONGEST_CHAIN):
        said = attribute(one, "endpoint_ok")
        if isinstance(said, bool):
            return Evidence.of(said)
        if attribute(one, "is_of_another_server") is True:
            return Evidence.NONE
        status = status_in(one)
        if status is not None:
            return by_status(status)
        if _is_no_answer(one):
            return Evidence.BAD
        if isinstance(one, HoldfastError):
            return None  # its causes concern our own database
    return None


def by_status(status: int) -> Evidence:
    return Evidence.BAD if status >= 500 or status in BAD_BELOW_500 else Evidence.GOOD


def _chain(exc: BaseException) -> Iterator[BaseException]:
    """With its causes, its contexts, and the members of an exception group."""
    waiting: list[BaseException | None] = [exc]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        waiting.append(one.__cause__ or one.__context__)


def _is_no_answer(exc: BaseException) -> bool:
    if isinstance(exc, ConnectionError | TimeoutError):
        return True
    if type(exc) is OSError and exc.errno in UNREACHABLE:
        return True
    return any(kind.__name__ in NO_ANSWER.get(_library(kind), ()) for kind in type(exc).__mro__)


def _library(kind: type) -> str:
    return kind.__module__.partition(".")[0]
