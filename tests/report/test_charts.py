"""Charts: figures in, markup out."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.report.charts.paths import area_path, line_path
from holdfast.report.charts.range_bar import LogAxis, range_bar
from holdfast.report.charts.scale import duration_ticks, share, tick_words, time_ticks, value_ticks
from holdfast.report.charts.share_bar import share_bar
from holdfast.report.charts.sparkline import sparkline
from holdfast.report.charts.time_chart import Series, TimeChart, legend, time_chart
from tests.report.page_check import PageCheck

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [
        (0, [0, 1]),
        (1, [0, 1]),
        (3, [0, 1, 2, 3]),
        (7, [0, 2, 4, 6, 8]),
        (80, [0, 20, 40, 60, 80]),
        (81, [0, 25, 50, 75, 100]),
        (1234, [0, 500, 1000, 1500]),
    ],
)
def test_an_axis_begins_at_zero_and_ends_at_a_round_number(highest: float, ticks: list[float]) -> None:
    assert value_ticks(highest) == ticks
    assert value_ticks(highest)[-1] >= highest


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [(0.0, [0, 1]), (0.3, [0, 0.1, 0.2, 0.3]), (50, [0, 15, 30, 45, 60]), (400, [0, 120, 240, 360, 480])],
)
def test_an_axis_of_durations_has_ticks_that_clocks_have(highest: float, ticks: list[float]) -> None:
    assert duration_ticks(highest) == pytest.approx(ticks)


@pytest.mark.parametrize("length", ["1h", "6h", "24h", "7d", "30d"])
def test_times_are_round_and_few(length: str) -> None:
    hours = {"1h": 1, "6h": 6, "24h": 24, "7d": 168, "30d": 720}[length]
    since = NOON - timedelta(hours=hours, minutes=7)
    ticks = time_ticks(since, NOON)
    assert 3 <= len(ticks) <= 7
    assert all(since <= at <= NOON and at.second == 0 for at in ticks)
    assert all(0 <= share(at, since, NOON) <= 100 for at in ticks)


def test_midnight_is_named_by_its_day() -> None:
    midnight = NOON.replace(hour=0)
    assert tick_words(midnight, midnight - timedelta(hours=5), NOON) == "31 Jan"
    assert tick_words(NOON, NOON - timedelta(hours=5), NOON) == "12:00"
    assert tick_words(NOON, NOON - timedelta(days=5), NOON) == "31 Jan"


def test_a_line_has_the_width_of_its_slices_and_gaps_where_nothing_is_known() -> None:
    assert line_path([1, 2], 2, 100) == "M0 50.00 L0.5 50.00 L1.5 0.00 L2 0.00"
    assert line_path([1, None, 2], 2, 100).count("M") == 2
    assert line_path([None], 2, 100) == ""
    assert area_path([2, None, 1], [0, 0, 0], 2, 100).count("M") == 2
    assert area_path([2], [0], 2, 100) == "M0 0.00 L0.5 0.00 L1 0.00 L1 100.00 L0.5 100.00 L0 100.00 Z"


def a_chart(hostile: str = "plain") -> str:
    return time_chart(
        TimeChart(
            "key",
            hostile,
            hostile,
            NOON - timedelta(hours=1),
            NOON,
            areas=(Series("a", "completed", [3, 4]), Series("b", "quiet", [1, 0])),
            lines=(Series("c", "running", [None, 2]),),
            strip_title=hostile,
            bars=(Series("d", "dead", [0, 1]),),
            hints=[hostile, "second"],
        )
    )


def test_a_chart_has_a_title_a_description_and_a_hint_for_each_slice() -> None:
    found = PageCheck(a_chart())
    assert found.problems == []
    assert found.charts == 1
    assert a_chart().count('class="hit"') == 2
    assert 'aria-labelledby="key-title key-desc"' in a_chart()


def test_text_in_a_chart_is_escaped() -> None:
    made = a_chart("</svg><script>alert(1)</script>")
    assert "<script" not in made
    assert PageCheck(made).problems == []


def test_a_single_failure_can_be_seen_beside_many() -> None:
    bars = (Series("d", "dead", [1, 100_000]),)
    made = time_chart(TimeChart("k", "t", "d", NOON - timedelta(hours=1), NOON, bars=bars))
    assert 'height="1.5"' in made


def test_nothing_is_flat_and_begins_at_zero() -> None:
    assert "22.00" in sparkline([0, 0, 0], "dead")
    assert sparkline([], "dead").count("<path") == 2
    assert sparkline([1] * 600, "dead").count(" L") < 150, "no more points than can be told apart"
    assert 'aria-hidden="true"' in sparkline([1], "dead")
    assert 'role="img"' in sparkline([1], "dead", "1 attempt")


def test_a_range_stays_on_its_axis() -> None:
    axis = LogAxis([timedelta(0), timedelta(days=3), None])
    assert LogAxis([]).places()
    assert (
        0
        <= axis.place(timedelta(0))
        < axis.place(timedelta(seconds=1))
        < axis.place(timedelta(days=3))
        <= 100
    )
    assert [words for _, words in axis.places()] == ["1 s", "1 min", "1 h", "1 d"]
    assert "circle" in range_bar(axis, [("ready", timedelta(seconds=1), timedelta(seconds=2))])
    assert "circle" not in range_bar(axis, [("ready", None, None)])


def test_what_took_no_time_has_no_place_on_a_logarithmic_axis() -> None:
    axis = LogAxis([timedelta(0), timedelta(seconds=9)])
    assert "c-ready" not in range_bar(axis, [("ready", timedelta(0), timedelta(0))])
    drawn = range_bar(axis, [("ready", timedelta(0), timedelta(seconds=9))])
    assert "<rect" in drawn
    assert "circle" not in drawn


def test_a_limit_is_a_dashed_step_behind_the_rest_with_room_above() -> None:
    calls, limit = Series("In flight", "running", [2, 4]), Series("Limit", "quiet", [4, None])
    hour_ago = NOON - timedelta(hours=1)
    made = time_chart(TimeChart("k", "t", "d", hour_ago, NOON, areas=(calls,), limits=(limit,)))
    assert 'd="M0 45.33 V45.33 H1"' in made
    assert made.index("stroke dash c-quiet") < made.index("stroke c-running")
    assert "stroke dash" in legend((calls,), limits=(limit,))


def test_a_share_is_between_nothing_and_all() -> None:
    assert 'width="0.0%"' in share_bar(-1, "dead")
    assert 'width="100.0%"' in share_bar(1.5, "dead")
