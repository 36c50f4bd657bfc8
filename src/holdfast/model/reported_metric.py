"""A figure from outside, such as the load of a model server."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ReportedMetric:
    """The latest value of one name and set of labels."""

    name: str
    labels: dict[str, str]
    value: float
    reported_at: datetime


@dataclass(frozen=True, slots=True)
class ReportedValue:
    """The last value of one set of labels that was reported in a minute."""

    minute: datetime
    labels: dict[str, str]
    value: float
