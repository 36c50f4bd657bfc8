import logging

import pytest

from holdfast.telemetry.emit import emit
from holdfast.telemetry.event import Event


def test_an_event_is_a_log_record_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdfast"):
        emit(Event.MIGRATION_APPLIED, migration="0001_initial")
        emit(Event.LISTENER_CONNECTED, logging.DEBUG, channels="x")
    (record,) = caplog.records
    assert record.getMessage() == "migration.applied migration=0001_initial"
    assert vars(record)["event"] == "migration.applied"
    assert vars(record)["fields"] == {"migration": "0001_initial"}


def test_event_names_are_unique_and_dotted() -> None:
    assert all("." in event.value for event in Event)
    assert len({event.value for event in Event}) == len(Event.__members__)
