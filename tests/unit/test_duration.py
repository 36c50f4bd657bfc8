from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("250ms", timedelta(milliseconds=250)),
        ("25s", timedelta(seconds=25)),
        ("5m", timedelta(minutes=5)),
        ("1.5h", timedelta(minutes=90)),
        ("2d", timedelta(days=2)),
        ("1w", timedelta(weeks=1)),
        (" 10 S ", timedelta(seconds=10)),
        ("30", timedelta(seconds=30)),
        (30, timedelta(seconds=30)),
        (0.5, timedelta(milliseconds=500)),
        (0, timedelta()),
        (timedelta(hours=1), timedelta(hours=1)),
    ],
)
def test_a_duration_is_read_as_people_write_it(written: Duration, meant: timedelta) -> None:
    assert parse_duration(written) == meant


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "s",
        "5 minutes",
        "-5s",
        "1e9999",
        "5m30s",
        -1,
        float("nan"),
        float("inf"),
        True,
        None,
        [5],
        10**390,
        -(10**390),
    ],
)
def test_what_is_no_duration_is_refused_with_examples(wrong: Duration) -> None:
    with pytest.raises(InvalidOption) as caught:
        parse_duration(wrong)
    assert '"25s"' in (caught.value.hint or "")


def test_a_duration_beyond_a_hundred_years_is_refused_and_not_an_overflow() -> None:
    with pytest.raises(InvalidOption, match="at most 36500 days"):
        parse_duration("999999999999d")


@given(st.timedeltas(min_value=timedelta(), max_value=timedelta(days=36_500)))
def test_a_timedelta_means_itself(value: timedelta) -> None:
    assert abs(parse_duration(value) - value) < timedelta(milliseconds=1)
