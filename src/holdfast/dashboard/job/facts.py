"""Settings of a job in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from holdfast.client.filters import json_or_text
from holdfast.dashboard.json_code import json_text
from holdfast.model.duration import exact
from holdfast.model.masking import Masked
from holdfast.report.words import figure


def policy_words(retry: Any) -> str:
    """A retry policy as the database has it: delays in seconds, or a rule."""
    if not isinstance(retry, dict):
        return "none"
    if "delays" in retry:
        return ", ".join(_span(one) for one in retry["delays"]) or "none"
    words = f"{_span(retry['base'])}, then × {figure(float(retry.get('factor', 2)))}"
    return f"{words} up to {_span(retry['cap'])}" if "cap" in retry else words


@dataclass(frozen=True, slots=True)
class Label:
    """`filter`: as a list of jobs takes it; None if it cannot be written so, or is masked."""

    name: str
    value: str
    filter: str | None


def labels_of(labels: Mapping[str, Any]) -> list[Label]:
    return [_label(name, value) for name, value in labels.items()]


def label_text(value: Any) -> str:
    """As filters and the command line read it: a text that looks like JSON is written as JSON."""
    if isinstance(value, str) and value.isprintable() and json_or_text(value) == value:
        return value
    return json_text(value)


def _label(name: str, value: Any) -> Label:
    shown = value if isinstance(value, str) else json_text(value)
    has_filter = name and "=" not in name and not isinstance(value, Masked)
    return Label(name, shown, f"{name}={label_text(value)}" if has_filter else None)


def _span(seconds: float) -> str:
    return exact(timedelta(seconds=float(seconds)))
