"""Metrics as Prometheus reads them: text, with HELP and TYPE for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite, isnan

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Kind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Sample:
    """`suffix`: the part of a histogram, such as _bucket."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """All samples of one metric. The name of a counter ends in _total."""

    name: str
    help: str
    kind: Kind
    samples: Sequence[Sample]


def exposition(families: Iterable[Family]) -> str:
    """A family without samples is left out."""
    return "".join(_text(family) for family in families if family.samples)


def _text(family: Family) -> str:
    head = f"# HELP {family.name} {_escaped(family.help)}\n# TYPE {family.name} {family.kind}\n"
    return head + "".join(
        f"{family.name}{sample.suffix}{_labels(sample.labels)} {_number(sample.value)}\n"
        for sample in family.samples
    )


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _number(value: float) -> str:
    if isnan(value):
        return "NaN"
    if not isfinite(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)
