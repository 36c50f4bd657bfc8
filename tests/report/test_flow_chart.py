"""The life of one thing on a time axis."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.report.charts.flow import (
    Axis,
    Bar,
    Portion,
    axis_track,
    bar_track,
    grid_track,
    portions_bar,
)

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


def minutes(number: float) -> datetime:
    return NOON + timedelta(minutes=number)


def test_a_long_axis_has_times_of_the_clock_and_a_short_one_times_since_its_beginning() -> None:
    long, short = Axis(NOON, minutes(40)), Axis(NOON, minutes(0.5))
    assert [one.words for one in long.ticks()] == ["12:10", "12:20", "12:30", "12:40"]
    assert [one.words for one in short.ticks()] == ["+10 s", "+20 s", "+30 s"]
    assert (long.is_short, short.is_short) == (False, True)


def test_no_tick_touches_the_word_now() -> None:
    axis = Axis(NOON, minutes(31), is_open=True)
    assert max(one.x for one in axis.ticks()) <= 80
    assert "now" in axis_track(axis)
    assert 'class="now"' in grid_track(axis)
    assert "now" not in axis_track(Axis(NOON, minutes(31)))


@pytest.mark.parametrize("length", [0, 0.00001, 0.001, 1, 60, 60 * 24 * 40])
def test_every_length_of_time_has_an_axis(length: float) -> None:
    axis = Axis(NOON, minutes(length))
    assert all(0 <= one.x <= 100 for one in axis.ticks())
    assert 0 <= axis.place(NOON) <= axis.place(minutes(length)) <= 100
    assert len(axis.ticks()) <= 8


def test_a_bar_stands_where_it_was_and_stays_inside_the_track() -> None:
    axis = Axis(NOON, minutes(100))
    assert 'x="25.00%" width="50.00%"' in bar_track(axis, Bar(minutes(25), minutes(75)))
    assert 'x="99.50%" width="0.50%"' in bar_track(axis, Bar(minutes(100), minutes(100)))
    assert 'x="0.00%" width="10.00%"' in bar_track(axis, Bar(minutes(-50), minutes(10)))
    assert "rect" not in bar_track(axis, None)


def test_a_wait_a_failure_and_a_stage_look_different() -> None:
    axis = Axis(NOON, minutes(1))
    looks = [
        Bar(NOON, NOON, "hold", "ready"),
        Bar(NOON, NOON, "solid", "failed"),
        Bar(NOON, NOON, "span"),
    ]
    drawn = [bar_track(axis, bar) for bar in looks]
    assert "bar hold c-ready" in drawn[0]
    assert "bar solid c-failed" in drawn[1]
    assert 'class="bar span"' in drawn[2]


def test_the_words_of_a_hint_are_text() -> None:
    drawn = bar_track(Axis(NOON, minutes(1)), Bar(NOON, NOON, hint="<script>\u202e"))
    assert "<title>&lt;script&gt;\\u202e</title>" in drawn
    assert "style=" not in drawn


def test_the_portions_fill_the_bar() -> None:
    parts = [
        Portion("In line", "ready", timedelta(seconds=30)),
        Portion("Ran", "running", timedelta(seconds=10)),
    ]
    drawn = portions_bar(parts, "Where the time went")
    assert 'class="soft c-ready" x="0.00%" width="75.00%"' in drawn
    assert 'class="solid c-running" x="75.00%" width="25.00%"' in drawn
    assert 'aria-label="Where the time went"' in drawn
    assert "<rect" not in portions_bar([], "nothing")
