"""The forms in which servers say when to come back. They count in the client's time, not simulated."""

import math
from collections.abc import Mapping
from datetime import timedelta
from email.utils import format_datetime
from typing import assert_never

from holdfast.testing.model_server.behaviour import RetryAfter
from holdfast.testing.model_server.clock import Clock


def retry_headers(form: RetryAfter, seconds: float, clock: Clock) -> Mapping[str, str]:
    """Rounded up, so that whoever obeys is not refused again."""
    wait = clock.real(seconds)
    match form:
        case RetryAfter.SECONDS:
            return {"Retry-After": str(max(1, math.ceil(wait)))}
        case RetryAfter.DATE:
            then = clock.wall() + timedelta(seconds=wait + 1)  # a date has no fractions
            return {"Retry-After": format_datetime(then.replace(microsecond=0), usegmt=True)}
        case RetryAfter.MILLISECONDS:
            return {"retry-after-ms": str(max(1, math.ceil(wait * 1000)))}
        case RetryAfter.NONE:
            return {}
        case _ as never:
            assert_never(never)
