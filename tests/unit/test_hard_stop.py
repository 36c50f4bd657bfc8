"""The end of a time box from outside the event loop, where the database cannot be reached."""

from datetime import timedelta
from time import monotonic
from uuid import uuid4

import pytest

from holdfast.db.address import Address, Source
from holdfast.model.id import WorkerId
from holdfast.worker.time_box.hard_stop import HardStop
from holdfast.worker.time_box.time_box import TimeBox
from tests.worker.working import until


async def test_jobs_that_cannot_be_given_back_are_fenced_and_told_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fenced: list[str] = []
    nobody_there = Address("postgresql://me@127.0.0.1:1/x", Source.GIVEN)
    over = TimeBox(timedelta(seconds=1), timedelta(milliseconds=500), began=monotonic() - 10)
    HardStop(nobody_there, WorkerId(uuid4()), over, lambda: fenced.append("fenced"))

    async def is_told() -> bool:
        return "worker.jobs_not_released" in caplog.text

    await until(is_told)
    assert fenced == ["fenced"]
