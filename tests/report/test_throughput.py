"""Ends over time as they are drawn, and how jobs ended: sums that agree, no fall that did not happen."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from holdfast.client.period_figures import PeriodFigures
from holdfast.client.report.parts import retries as retries_of
from holdfast.client.report.period import choose_period
from holdfast.model.report import NO_ENDS, Ends, Slice
from holdfast.report.sections.tasks import retries
from holdfast.report.sections.throughput import finished, throughput
from tests.dashboard.reading import seen

NOW = datetime(2030, 1, 31, 9, 0, 10, tzinfo=UTC)


def some_ends(jobs: int) -> Ends:
    return replace(NO_ENDS, jobs=jobs, completed=jobs)


def a_period(since: str, *jobs: int) -> PeriodFigures:
    """As many jobs ended in its last slices."""
    period = choose_period(since, NOW)
    counts = [0] * (period.slices - len(jobs)) + list(jobs)
    slices = [Slice(period.since + n * period.slice, some_ends(count)) for n, count in enumerate(counts)]
    ended = some_ends(sum(jobs))
    return PeriodFigures(period, ended, slices, {}, retries_of(ended))


def first_line(made: str) -> str:
    """Of the completed jobs."""
    return made.partition('class="stroke c-completed" d="')[2].partition('"')[0]


def test_the_open_slice_is_not_drawn_but_told() -> None:
    figures = a_period("1h", 4, 4, 0)
    made = throughput(figures)
    line = first_line(made)
    assert line.split(" L")[-1].startswith("59 "), "up to the last whole minute"
    assert "09:00 UTC so far: 0 completed" in made
    assert [one.ends.jobs for one in finished(figures)][-2:] == [4, 4]
    assert first_line(throughput(a_period("24h", 4, 4, 1))).split(" L")[-1].startswith("48 ")


def test_before_the_first_end_there_is_no_line() -> None:
    made = throughput(a_period("1h", 4, 4, 4))
    assert first_line(made).startswith("M57 ")
    assert re.search(r"No job ended before <title>[^<]+ 08:58:00 UTC</title><tspan [^>]+>08:58<", made)
    assert "No job ended before" not in throughput(a_period("1h", *([4] * 50)))


def test_a_job_that_died_at_once_did_not_go_well() -> None:
    ended = replace(
        NO_ENDS, jobs=100, completed=60, dead=30, rejected=6, cancelled=4, retried=20, retried_completed=15
    )
    words = seen(retries(ended, retries_of(ended))).words
    assert "Went well at once 45.0 %" in words
    assert "Retried, went well 15.0 %" in words
    assert "Died 30.0 %" in words
    assert "Rejected, cancelled 10.0 %" in words
    assert "Retries that went well 75.0 % of 20" in words
