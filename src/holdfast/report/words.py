"""Figures as the page writes them: 1,234 · 99.6 % · 38 s · 3 h 12 min · 14:32."""

from datetime import UTC, datetime, timedelta

from holdfast.model.duration import short

NONE = "–"
_DAY = 86_400


def count(number: int, is_cut: bool = False) -> str:
    return f"{number:,}{'+' if is_cut else ''}"


def percent(part: float | None) -> str:
    """One decimal; a share that is not all or nothing never looks like it."""
    if part is None:
        return NONE
    if 0 < part < 0.001:
        return "< 0.1 %"
    if 0.999 < part < 1:
        return "> 99.9 %"
    return f"{100 * part:.0f} %" if part in (0, 1) else f"{100 * part:.1f} %"


def duration(length: timedelta | None) -> str:
    """Two digits or so below two minutes, then two units."""
    if length is None:
        return NONE
    seconds = length.total_seconds()
    if seconds < 120:
        return short(length)
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    if seconds < 2 * _DAY:
        return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"
    hours = round(seconds / 3600)
    return f"{hours // 24} d {hours % 24} h" if hours % 24 else f"{hours // 24} d"


def estimate(length: timedelta | None) -> str:
    """In one unit: a time estimated from a rate is no more exact, and a narrow column has no room for two."""
    if length is None:
        return NONE
    unit = next((one for one in (timedelta(days=1), timedelta(hours=1)) if length >= 2 * one), None)
    return duration(round(length / unit) * unit if unit else length)


def figure(value: float | None) -> str:
    """Of units and money: three digits, or all that stand before the point."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if abs(value) >= 999.5 or value == 0 else f"{value:.3g}"


def money(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,.2f}" if abs(value) >= 1 or value == 0 else f"{value:.2g}"


def clock(moment: datetime, period: timedelta) -> str:
    """In UTC, with the day where the period has more than one."""
    shown = moment.astimezone(UTC)
    return f"{shown:%H:%M}" if period <= timedelta(days=1) else f"{shown.day} {shown:%b %H:%M}"


def moment(at: datetime) -> str:
    shown = at.astimezone(UTC)
    return f"{shown.day} {shown:%B %Y, %H:%M} UTC"


def change(now: int, before: int) -> str:
    """Against the period before."""
    if before == 0:
        return "none before" if now else "none before either"
    if before < 10 or now > 10 * before:
        return f"{before:,} before"
    return "as before" if now == before else f"{100 * (now - before) / before:+,.0f} %, {before:,} before"
