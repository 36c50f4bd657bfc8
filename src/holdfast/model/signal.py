"""What a handler raises to say how its attempt ends.

HandlerSignal
├── Retry           try again, by the retry policy
│   └── EndpointFailed  the same, and the endpoint is to blame
├── Permanent       never try again: the job is dead at once
│   ├── WaitTimeout     raised in the handler: nobody signalled in time
│   └── ChildFailed     raised in the handler: a child did not complete
├── RateLimited     wait as told; costs no failure
├── Snooze          later; costs no failure
├── Yield           given back unfinished, for the next worker to go on with; costs no failure
├── Reject          an end: the handler decided against it
└── Cancelled       an end: the handler obeyed a cancel request
"""

from datetime import timedelta

from holdfast.model.duration import Duration, parse_duration


class HandlerSignal(Exception):
    """Base of what a handler raises to say how its attempt ends."""

    endpoint_ok: bool | None = None
    is_of_another_server: bool = False  # what caused it says nothing of the job's endpoint


class Retry(HandlerSignal):
    """This attempt failed; try again, by the retry policy, but not before `delay` has passed.

    `endpoint_ok` says whether the job's endpoint answered well. Without it, an HTTP error that was being
    handled says so; if there is none, nothing is held against the endpoint.
    """

    def __init__(
        self,
        message: str = "the handler asked for a retry",
        delay: Duration | None = None,
        *,
        endpoint_ok: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.delay = _optional(delay)
        self.endpoint_ok = endpoint_ok


class EndpointFailed(Retry):
    """The job's endpoint failed, in a way that no HTTP error tells: it is taken as an answer of 500 is."""

    def __init__(self, message: str = "the endpoint failed", delay: Duration | None = None) -> None:
        super().__init__(message, delay, endpoint_ok=False)


class Permanent(HandlerSignal):
    """This can never succeed: the job is dead at once."""


class WaitTimeout(Permanent):
    """What the handler waited for did not come in time. Catch it to go on without."""


class ChildFailed(Permanent):
    """A child did not complete, and the handler had said that it needs all. Catch it to go on without."""


class RateLimited(HandlerSignal):
    """The other side asked to wait; costs no failure."""

    def __init__(self, message: str = "rate limited", retry_after: Duration | None = None) -> None:
        super().__init__(message)
        self.retry_after = _optional(retry_after)


class Snooze(HandlerSignal):
    """Not now: come back after `delay`; costs no failure."""

    def __init__(self, delay: Duration, reason: str = "snoozed by its handler") -> None:
        super().__init__(reason)
        self.delay = parse_duration(delay)
        self.reason = reason


class Yield(HandlerSignal):
    """Given back unfinished: save a checkpoint, raise it, and the next worker goes on; costs nothing."""

    def __init__(self, reason: str = "its handler yielded") -> None:
        super().__init__(reason)
        self.reason = reason


class Reject(HandlerSignal):
    """The handler decided that this job must not be done: an end of its own, not a failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Cancelled(HandlerSignal):
    """The handler stopped because somebody asked to cancel the job."""

    def __init__(self, reason: str = "cancelled on request") -> None:
        super().__init__(reason)
        self.reason = reason


def _optional(value: Duration | None) -> timedelta | None:
    return None if value is None else parse_duration(value)
