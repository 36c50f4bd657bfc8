"""For the tests of applications: a fresh database, a worker that drains it, a clock to move, assertions."""

from holdfast.testing.assertions import assert_enqueued, assert_state, count_by_state
from holdfast.testing.clock import FakeClock, install_fake_clock
from holdfast.testing.database import fresh_database
from holdfast.testing.drain import drain

__all__ = [
    "FakeClock",
    "assert_enqueued",
    "assert_state",
    "count_by_state",
    "drain",
    "fresh_database",
    "install_fake_clock",
]
