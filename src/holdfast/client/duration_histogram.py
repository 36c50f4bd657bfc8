"""A histogram for Prometheus, added up from counts by tenths of the decimal logarithm of milliseconds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum

from holdfast.telemetry.prometheus_text import Sample

# Upper edges in tenths: 1 ms, 10 ms, then two for each power of ten up to 10,000 s. With +Inf 15 buckets.
EDGES = (0, 10, *range(15, 75, 5))


@dataclass(slots=True)
class DurationHistogram:
    tens: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, tens: Mapping[str, int], seconds: float) -> None:
        """The key of a count is the lower edge of its bucket, in tenths."""
        self.tens.update({int(tenth): count for tenth, count in tens.items()})
        self.seconds.append(seconds)

    def samples(self, labels: Mapping[str, str]) -> Iterator[Sample]:
        for edge in EDGES:
            below = sum(count for tenth, count in self.tens.items() if tenth < edge)
            yield Sample(below, {**labels, "le": f"{10 ** (edge / 10 - 3):g}"}, "_bucket")
        yield Sample(self.tens.total(), {**labels, "le": "+Inf"}, "_bucket")
        yield Sample(fsum(self.seconds), labels, "_sum")
        yield Sample(self.tens.total(), labels, "_count")
