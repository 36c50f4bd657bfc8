"""The exceptions that a handler raises to end its attempt.

EndAttempt
├── Retry           failed; retried by the retry policy
│   └── EndpointFailed  the same, and the endpoint is the cause
├── Permanent       never retried: the job is dead at once
│   ├── WaitTimeout     raised in the handler: no signal arrived in time
│   └── ChildFailed     raised in the handler: a child did not complete
├── RateLimited     wait as the other side asked; not a failure
├── Snooze          run later; not a failure
├── Yield           returned unfinished, the next worker continues; not a failure
├── Reject          an end: the job must not be done
└── Cancelled       an end: the handler stopped on a cancel request
"""

from datetime import timedelta

from holdfast.model.duration import Duration, parse_duration


class EndAttempt(Exception):
    """Base class of the exceptions that end an attempt."""

    endpoint_ok: bool | None = None
    is_of_another_server: bool = False  # its cause says nothing about the job's endpoint


class Retry(EndAttempt):
    """This attempt failed; retry by the retry policy, but not before `delay` has passed.

    `endpoint_ok` says whether the job's endpoint answered well. Without it, the HTTP error that was being
    handled decides; if there is none, the failure says nothing about the endpoint.
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
    """The job's endpoint failed without an HTTP error; counts like an answer of 500."""

    def __init__(self, message: str = "the endpoint failed", delay: Duration | None = None) -> None:
        super().__init__(message, delay, endpoint_ok=False)


class Permanent(EndAttempt):
    """This can never succeed: the job is dead at once."""


class WaitTimeout(Permanent):
    """The signal did not arrive in time. Catch it to continue without."""


class ChildFailed(Permanent):
    """A child did not complete, and the handler needs all of them. Catch it to continue without."""


class RateLimited(EndAttempt):
    """The other side asked to wait; not counted as a failure."""

    def __init__(self, message: str = "rate limited", retry_after: Duration | None = None) -> None:
        super().__init__(message)
        self.retry_after = _optional(retry_after)


class Snooze(EndAttempt):
    """Run the job again after `delay`; not counted as a failure."""

    def __init__(self, delay: Duration, reason: str = "snoozed by its handler") -> None:
        super().__init__(reason)
        self.delay = parse_duration(delay)
        self.reason = reason


class Yield(EndAttempt):
    """Save a checkpoint, then raise this: the next worker continues; not counted as a failure."""

    def __init__(self, reason: str = "its handler yielded") -> None:
        super().__init__(reason)
        self.reason = reason


class Reject(EndAttempt):
    """The job must not be done: it ends as rejected, which is not a failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Cancelled(EndAttempt):
    """The handler stopped because of a cancel request."""

    def __init__(self, reason: str = "cancelled on request") -> None:
        super().__init__(reason)
        self.reason = reason


def _optional(value: Duration | None) -> timedelta | None:
    return None if value is None else parse_duration(value)
