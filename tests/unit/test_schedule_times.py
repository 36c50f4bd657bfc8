"""The times of a schedule, with real time zones across both changes of the clock."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.maintenance.schedule_times import ScheduleTimes
from holdfast.model.error import InvalidOption

GAP = datetime(2026, 3, 28, 12, tzinfo=UTC)  # in Berlin 02:00 to 03:00 is left out on the 29th
FOLD = datetime(2026, 10, 24, 12, tzinfo=UTC)  # in Berlin 02:00 to 03:00 comes twice on the 25th


def cron(expression: str, tz: str = "Europe/Berlin") -> ScheduleTimes:
    return ScheduleTimes.read(expression, None, tz)


def one_by_one(times: ScheduleTimes, moment: datetime, count: int) -> list[str]:
    """As workers compute them: each from the one before, without any memory."""
    slots = []
    for _ in range(count):
        moment = times.after(moment)
        slots.append(f"{moment:%d. %H:%M}")
    return slots


@pytest.mark.parametrize(
    ("expression", "start", "slots"),
    [
        # Fixed times: once after the gap, once in the fold, at its first pass.
        ("30 2 * * *", GAP, ["29. 01:00", "30. 00:30", "31. 00:30"]),
        ("30 2 * * *", FOLD, ["25. 00:30", "26. 01:30", "27. 01:30"]),
        ("0,30 2 * * *", GAP, ["29. 01:00", "30. 00:00", "30. 00:30"]),
        ("30 2,3 * * *", GAP, ["29. 01:00", "29. 01:30", "30. 00:30"]),
        # Every hour by the wall clock: none in the gap, twice in the fold.
        ("30 * * * *", GAP + timedelta(hours=12), ["29. 00:30", "29. 01:30", "29. 02:30"]),
        ("30 * * * *", FOLD + timedelta(hours=11), ["24. 23:30", "25. 00:30", "25. 01:30", "25. 02:30"]),
        ("*/30 */2 * * *", FOLD + timedelta(hours=11), ["25. 00:00", "25. 00:30", "25. 01:00", "25. 01:30"]),
        # A wildcard in the minute alone is one, too: nothing in the gap, both passes of the fold.
        ("*/30 2 * * *", GAP, ["30. 00:00", "30. 00:30"]),
        ("*/30 2 * * *", FOLD, ["25. 00:00", "25. 00:30", "25. 01:00", "25. 01:30", "26. 01:00"]),
        ("0 7 * * 1-5", datetime(2026, 3, 27, 12, tzinfo=UTC), ["30. 05:00", "31. 05:00"]),
    ],
)
def test_slots_across_a_change_of_the_clock(expression: str, start: datetime, slots: list[str]) -> None:
    assert one_by_one(cron(expression), start, len(slots)) == slots


def test_a_schedule_that_starts_in_the_second_pass_of_an_hour_does_not_go_back_to_the_first() -> None:
    second_pass = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)  # 02:15 for the second time
    assert cron("30 2 * * *").after(second_pass) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_an_interval_knows_no_time_zone() -> None:
    times = ScheduleTimes.read(None, timedelta(hours=24), "Europe/Berlin")
    assert one_by_one(times, GAP, 2) == ["29. 12:00", "30. 12:00"]
    assert times.newest(GAP, GAP + timedelta(days=400, hours=5)) == GAP + timedelta(days=400)


@pytest.mark.parametrize(
    ("expression", "newest"),
    [
        ("* * * * *", datetime(2030, 7, 1, 9, 17, tzinfo=UTC)),
        ("0 7 * * 1-5", datetime(2030, 7, 1, 5, tzinfo=UTC)),
        ("0 12 24 12 *", datetime(2029, 12, 24, 11, tzinfo=UTC)),
    ],
)
def test_the_newest_slot_after_years_is_found_from_its_end(expression: str, newest: datetime) -> None:
    times = cron(expression)
    now = datetime(2030, 7, 1, 9, 17, 30, tzinfo=UTC)
    assert times.newest(times.after(GAP), now) == newest


def test_a_slot_that_is_the_only_one_due_is_the_newest() -> None:
    times = cron("0 7 * * *")
    slot = times.after(GAP)
    assert times.newest(slot, slot) == times.newest(slot, slot + timedelta(hours=23)) == slot


@pytest.mark.parametrize(
    ("expression", "tz", "words"),
    [
        ("61 * * * *", "UTC", "Bad minute"),
        ("* * * *", "UTC", "must have 5 fields"),
        ("0 0 7 * * 1", "UTC", "must have 5 fields"),
        ("0 0 30 2 *", "UTC", "Bad day-of-month"),
        ("* * */20 * 1L", "UTC", "matches no time"),
        ("every day", "UTC", "must have 5 fields"),
        ("", "UTC", "must have 5 fields"),
        ("0 7 * * *", "Europe/Atlantis", "no time zone 'Europe/Atlantis'"),
        ("0 7 * * *", "Europe", "no time zone"),
        ("0 7 * * *", "../etc/passwd", "no time zone"),
        ("0 7 * * *", "", "no time zone"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(expression: str, tz: str, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        cron(expression, tz)


def test_times_are_told_in_words() -> None:
    assert cron("0 7 * * 1-5").words() == "at 07:00 on Monday through Friday, Europe/Berlin"
    assert ScheduleTimes.read(None, timedelta(minutes=5), "UTC").words() == "every 5 min"
