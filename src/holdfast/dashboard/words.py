"""Figures and times as templates write them; a text of a filter here is markup only where it says so."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from holdfast.model.human_readable import counted
from holdfast.model.job import JobProgress
from holdfast.report.local_time import in_utc
from holdfast.report.markup import Markup, element, joined, safe
from holdfast.report.words import NONE, count, duration, estimate, figure, money, percent

TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)")
CLOCKS = {
    "time": "%H:%M",
    "seconds": "%H:%M:%S",
    "day": "%Y-%m-%d %H:%M",
    "short": "%m-%d %H:%M",
    "moment": "%m-%d %H:%M:%S",
    "exact": "%Y-%m-%d %H:%M:%S UTC",
}


def age(moment: datetime | None, now: datetime) -> Markup | str:
    """How long ago, or how long until; the exact time in its hint. A column headed Age needs no "ago"."""
    if moment is None:
        return NONE
    return element("time", _whole(now - moment), datetime=moment.isoformat(), title=in_utc(moment))


def ago(moment: datetime | None, now: datetime) -> Markup | str:
    """As a phrase: 38 s ago, in 5 min."""
    if moment is None:
        return NONE
    length = _whole(now - moment)
    words = f"{length} ago" if moment <= now else f"in {length}"
    return element("time", words, datetime=moment.isoformat(), title=in_utc(moment))


def _whole(length: timedelta) -> str:
    """To the second: what counts by now has no need of less."""
    return duration(timedelta(seconds=round(abs(length.total_seconds()))))


def clock(moment: datetime | None, style: str = "time") -> Markup | str:
    """A clock time, which the page's script writes in the reader's time zone. `style`: time, seconds,
    day, which says the date too, short without the year, moment with day and seconds, or exact with year,
    seconds and zone.
    """
    if moment is None:
        return NONE
    shape = CLOCKS[style]
    shown = f"{moment.astimezone(UTC):{shape}}"
    return element("time", shown, datetime=moment.isoformat(), title=in_utc(moment), data_clock=style)


def with_clocks(text: str) -> Markup:
    """A sentence whose times, as `time_words` writes them, the script can write in the reader's zone."""
    return joined(*(_clock_of(part) for part in TIME.split(text)))


def _clock_of(part: str) -> str:
    """An operator's own words may look like a time and be none."""
    try:
        return clock(datetime.fromisoformat(part), "exact") if TIME.fullmatch(part) else part
    except ValueError:
        return part


def rate(per_minute: float | None) -> str:
    return NONE if per_minute is None else f"{per_minute:,.1f}"


def short_id(found: UUID | str | None) -> str:
    """The random end of an id: its beginning is the time, which neighbours share."""
    return NONE if found is None else str(found)[-12:]


def span(length: timedelta | float | None) -> str:
    return duration(timedelta(seconds=length) if isinstance(length, (int, float)) else length)


def progress_words(progress: JobProgress) -> str:
    """412 of 655, 2 failed: files, src/index/merge.rs"""
    done = (
        f"{progress.done:,} of {progress.total:,}"
        if progress.total is not None
        else f"{progress.done:,} done"
    )
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    what = ", ".join(filter(None, (progress.note, progress.item)))
    return f"{done}{failed}{f': {what}' if what else ''}"


def typed(text: str) -> Markup:
    """Several lines for a field: their breaks stay. What hides or turns text becomes escapes, as JSON has."""
    return Markup("\n".join(safe(line.expandtabs(2)) for line in text.splitlines()))


FILTERS: dict[str, Any] = {
    "age": age,
    "ago": ago,
    "clock": clock,
    "count": count,
    "counted": counted,
    "duration": span,
    "estimate": estimate,
    "figure": figure,
    "money": money,
    "percent": percent,
    "progress_words": progress_words,
    "rate": rate,
    "short_id": short_id,
    "typed": typed,
    "utc": in_utc,
    "with_clocks": with_clocks,
}
