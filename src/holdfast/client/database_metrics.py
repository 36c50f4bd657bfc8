"""The database's metrics as Prometheus text: the one place for `holdfast metrics` and for programs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from holdfast.client.metric_series import Series, every_series, one
from holdfast.db.figures import read_figures
from holdfast.db.statement import Fetcher
from holdfast.model.error import InvalidOption
from holdfast.telemetry.metric_list import METRICS, SERIES_LEFT_OUT, Metric
from holdfast.telemetry.prometheus_text import Family, exposition

MAX_SERIES = 2000
_PLACES = {metric.name: place for place, metric in enumerate(METRICS)}


async def database_metrics(on: Fetcher, max_series: int = MAX_SERIES) -> str:
    if max_series < 1:
        raise InvalidOption(f"max_series must be at least 1 (got {max_series}).", "the default is 2000")
    return exposition(families(limited(every_series(await read_figures(on)), max_series)))


def limited(found: Iterable[Series], max_series: int) -> Iterator[Series]:
    """The first that fit, whole, and how many lines were left out.

    By level, then the largest first. Names break ties, so that the next answer leaves out the same ones.
    """
    ordered = sorted(found, key=lambda series: (series.metric.level, -series.size, *_place(series)))
    room, left_out = max_series - 1, 0
    for series in ordered:
        if left_out == 0 and len(series.samples) <= room:
            room -= len(series.samples)
            yield series
        else:
            left_out += len(series.samples)
    yield one(SERIES_LEFT_OUT, left_out)


def families(found: Iterable[Series]) -> Iterator[Family]:
    """In the order of the list; figures from outside follow by name."""
    by_name: defaultdict[str, list[Series]] = defaultdict(list)
    for series in sorted(found, key=_place):
        by_name[series.metric.name].append(series)
    for name, members in by_name.items():
        metric = members[0].metric
        yield Family(
            name, metric.meaning, metric.kind, [sample for series in members for sample in series.samples]
        )


def _place(series: Series) -> tuple[int, str, tuple[str, ...]]:
    return _place_of(series.metric), series.metric.name, series.labels


def _place_of(metric: Metric) -> int:
    return _PLACES.get(metric.name, len(METRICS))
