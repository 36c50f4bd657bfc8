"""An event becomes a log record: one line, with its fields."""

import logging

import pytest

from holdfast.telemetry.emit import emit, is_wanted
from holdfast.telemetry.event_list import Event


def test_an_event_is_a_log_record_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdfast"):
        emit(Event.MIGRATION_APPLIED, migration="0001_initial")
        emit(Event.MAINTENANCE_DONE, task="prune", count=1)
    (record,) = caplog.records
    assert record.getMessage() == "migration.applied migration=0001_initial"
    assert record.levelno == logging.INFO
    assert vars(record)["event"] == "migration.applied"
    assert vars(record)["fields"] == {"migration": "0001_initial"}


def test_the_level_is_that_of_the_list_unless_one_is_given(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "holdfast"):
        emit(Event.MAINTENANCE_FAILED, task="prune", because="gone")
        emit(Event.MAINTENANCE_FAILED, logging.DEBUG, task="prune", because="gone")
    assert [record.levelno for record in caplog.records] == [logging.WARNING, logging.DEBUG]


def test_what_is_not_known_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    emit(Event.JOB_LOST, job="j", task=None)
    assert caplog.messages == ["job.lost job=j"]


def test_a_line_break_in_a_field_begins_no_line(caplog: pytest.LogCaptureFixture) -> None:
    emit(Event.CONNECTION_LOST, name="main", because="gone\n2026-01-01 ERROR forged\x1b[2J")
    assert caplog.messages == [r"connection.lost name=main because=gone\n2026-01-01 ERROR forged\x1b[2J"]


def test_a_traceback_is_below_the_line_and_indented(caplog: pytest.LogCaptureFixture) -> None:
    emit(Event.JOB_DEAD, job="j", traceback="Traceback:\n  File x\nValueError: a\nERROR forged")
    (record,) = caplog.records
    assert record.getMessage() == "job.dead job=j"
    below = logging.Formatter("%(message)s").format(record).splitlines()[1:]
    assert below == ["    Traceback:", "      File x", "    ValueError: a", "    ERROR forged"]


def test_what_neither_the_log_nor_a_hook_takes_is_not_wanted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "holdfast"):
        assert not is_wanted(Event.JOB_COMPLETED)
        assert is_wanted(Event.JOB_FAILED)
