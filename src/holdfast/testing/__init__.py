"""For the tests of applications: a fresh database, a worker that drains it, a clock to move, a model server.

Names are loaded at first use: a test of a model server needs no database driver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.testing.assertions import assert_enqueued, assert_state, count_by_state
    from holdfast.testing.clock import FakeClock, install_fake_clock
    from holdfast.testing.database import fresh_database
    from holdfast.testing.drain import drain
    from holdfast.testing.isolated import isolated
    from holdfast.testing.model_server.answer import Answer, Refusal, ToolCall, in_turn
    from holdfast.testing.model_server.clock import ManualClock
    from holdfast.testing.model_server.server import ModelServer

__all__ = [
    "Answer",
    "FakeClock",
    "ManualClock",
    "ModelServer",
    "Refusal",
    "ToolCall",
    "assert_enqueued",
    "assert_state",
    "count_by_state",
    "drain",
    "fresh_database",
    "in_turn",
    "install_fake_clock",
    "isolated",
]

_HOMES = {
    "Answer": "model_server.answer",
    "FakeClock": "clock",
    "ManualClock": "model_server.clock",
    "ModelServer": "model_server.server",
    "Refusal": "model_server.answer",
    "ToolCall": "model_server.answer",
    "assert_enqueued": "assertions",
    "assert_state": "assertions",
    "count_by_state": "assertions",
    "drain": "drain",
    "fresh_database": "database",
    "in_turn": "model_server.answer",
    "install_fake_clock": "clock",
    "isolated": "isolated",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast.testing' has no attribute {name!r}")
    value = getattr(import_module(f"holdfast.testing.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
