"""Times in UTC, marked so that the script of the dashboard writes them in the reader's time zone, with UTC in
their hints. A file has no script: its times stay in UTC.
"""

from datetime import UTC, datetime, timedelta

from holdfast.report.charts.scale import is_of_days, tick_words
from holdfast.report.markup import Markup, element, joined
from holdfast.report.words import clock

ZONE = element("span", "UTC", data_zone=True)
FROM = Markup(f"From ({ZONE})")


def in_utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def local_clock(at: datetime, period: timedelta) -> Markup:
    """With the day where the period has more than one."""
    return element(
        "time", clock(at, period), datetime=at.isoformat(), title=in_utc(at), data_clock=_style(period)
    )


def drawn_clock(at: datetime, period: timedelta) -> Markup:
    """The same inside of a text of a drawing."""
    shown = element("tspan", clock(at, period), data_at=at.isoformat(), data_clock=_style(period))
    return joined(element("title", in_utc(at)), shown)


def _style(period: timedelta) -> str:
    return "time" if period <= timedelta(days=1) else "short"


def drawn_tick(axis: tuple[datetime, datetime], at: datetime, x: float, y: float, **look: str) -> Markup:
    """The words of a tick at `x` percent. In the reader's zone midnight is another moment: the script names
    the day at that one, and the hour at the others.
    """
    style = "day_tick" if is_of_days(*axis) else "tick"
    shown = element("tspan", tick_words(at, *axis), data_at=at.isoformat(), data_clock=style)
    return element("text", element("title", in_utc(at)), shown, x=f"{x:.2f}%", y=y, **look)
