"""A worker on a host whose clock is wrong: python -m tests.crash.wrong_clock '{"clock_shift": 86400}'.

The clocks of Python are replaced before anything of Holdfast is imported, so nothing of it has kept the right
ones. They are wrong in Python only: what a C library asks of the kernel is right.
"""

import datetime
import json
import runpy
import sys
import time
from typing import Any

WORKER = "tests.crash.worker_process"


class _OfAnyClock(type):
    """Times that asyncpg reads are of the true class; code that asks is told that they are times."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TRUE)


TRUE = datetime.datetime


class _Wrong(datetime.datetime, metaclass=_OfAnyClock):
    shift = datetime.timedelta()

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return TRUE.now(tz) + cls.shift

    @classmethod
    def utcnow(cls) -> Any:
        return TRUE.now(datetime.UTC).replace(tzinfo=None) + cls.shift

    @classmethod
    def today(cls) -> Any:
        return TRUE.now() + cls.shift


def set_wrong_by(seconds: float) -> None:
    _Wrong.shift = datetime.timedelta(seconds=seconds)
    true = time.time
    vars(time)["time"] = lambda: true() + seconds
    vars(time)["time_ns"] = lambda: int((true() + seconds) * 1e9)
    vars(datetime)["datetime"] = _Wrong


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    set_wrong_by(options.pop("clock_shift"))
    sys.argv = [WORKER, json.dumps(options)]
    runpy.run_module(WORKER, run_name="__main__")
