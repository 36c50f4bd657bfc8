"""The settings of a queue as people read and change them: value, where it comes from, and what it does."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from holdfast.model.duration import exact
from holdfast.model.flag import Flag
from holdfast.model.queue import QueueDetails

HERE, DEFAULT = "this queue", "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """`kind`: how its field is read: number, text, value (JSON or a plain word) or boolean; `choices` are its
    values with their words. `default` is its value where the queue sets none, `without` the words for that.
    """

    name: str
    words: str
    kind: str
    default: Any
    without: str
    about: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """`typed`: what stands in its field, nothing for a default."""

    setting: Setting
    value: str
    source: str
    typed: str


def _same(*words: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, word) for word in words)


DAY = timedelta(days=1)
GROUPS: dict[str, tuple[Setting, ...]] = {
    "Start": (
        Setting(
            "priority", "Priority", "number", None, "50", "Of jobs that name none, 0 to 100; higher first"
        ),
        Setting(
            "max_concurrent", "Jobs at once", "number", None, "no limit", "Running jobs, across all workers"
        ),
        Setting(
            "rate", "Rate", "text", None, "no limit", "Starts in a period, across all workers: 100/minute"
        ),
        Setting("ageing", "Ageing", "number", None, "none", "Priority points gained per minute of waiting"),
        Setting("weight", "Weight", "number", 1, "1", "How often workers look here first"),
        Setting("endpoint", "Endpoint", "text", None, "none", "That its jobs call, unless they name another"),
        Setting(
            "notify",
            "Wake workers",
            "boolean",
            True,
            "yes",
            "Whether an enqueue wakes idle workers",
            (("true", "yes"), ("false", "no")),
        ),
    ),
    "Run and fail": (
        Setting("timeout", "Timeout", "text", None, "no limit", "How long one attempt may run"),
        Setting(
            "cancel_grace",
            "Cancel grace",
            "text",
            timedelta(seconds=30),
            "30 s",
            "Time that a running job has to obey a cancel",
        ),
        Setting("max_failures", "Failures", "number", None, "by the retry policy", "That make a job dead"),
        Setting(
            "retry", "Retry", "value", None, "default", "When failed jobs run again: a preset, or delays"
        ),
        Setting("max_losses", "Losses", "number", 3, "3", "Lost workers that make a job dead"),
        Setting("rescue_delay", "Rest after a loss", "value", None, "none", "A duration, or a retry policy"),
        Setting(
            "max_wait", "Longest wait", "text", DAY, "24 h", "How long a job may be put off at a stretch"
        ),
    ),
    "Keep": (
        Setting(
            "detail",
            "Audit detail",
            "text",
            None,
            "as the flag detail says",
            "How much of the audit trail is kept",
            _same("off", "basic", "full"),
        ),
        Setting(
            "logs",
            "Logs",
            "text",
            "errors",
            "errors",
            "Which logs of handlers are kept",
            _same("off", "errors", "all"),
        ),
        Setting("retention", "Retention", "text", 30 * DAY, "30 d", "How long ended jobs are kept"),
        Setting("payload_limit", "Payload limit", "number", 262_144, "262,144", "Largest payload, in bytes"),
        Setting("stats_label", "Label of statistics", "text", None, "none", "Ends are counted by its values"),
    ),
}


def shown_settings(queue: QueueDetails, flags: Sequence[Flag] | None) -> dict[str, list[ShownSetting]]:
    """`flags`: those of the queue; None for a reader that may not see them."""
    return {group: list(_shown(queue, flags, settings)) for group, settings in GROUPS.items()}


def _shown(
    queue: QueueDetails, flags: Sequence[Flag] | None, settings: Sequence[Setting]
) -> Iterator[ShownSetting]:
    for setting in settings:
        if setting.name == "endpoint" and flags is None:
            continue  # hidden, which is not the same as none
        if setting.name == "detail":
            yield _detail(queue, flags, setting)
            continue
        value = getattr(queue, setting.name)
        is_set = value != setting.default
        words = setting_words(value) if is_set else setting.without
        yield ShownSetting(setting, words, HERE if is_set else DEFAULT, _typed(value) if is_set else "")


def _detail(queue: QueueDetails, flags: Sequence[Flag] | None, setting: Setting) -> ShownSetting:
    """Its own, or that of the flag for all."""
    if flags is None:
        return ShownSetting(setting, queue.detail, "this queue, or the flag set for all queues", "")
    own = next((one.value for one in flags if one.name == "detail" and one.queue is not None), None)
    is_set = any(one.is_set for one in flags if one.name == "detail" and one.queue is None)
    source = HERE if own else "the flag set for all queues" if is_set else DEFAULT
    return ShownSetting(setting, queue.detail, source, own or "")


def setting_words(value: Any) -> str:
    """The delays of a retry policy as people say them: 20 s, 60 s, 180 s."""
    match value:
        case {"delays": [*delays]} if all(isinstance(one, (int, float)) for one in delays):
            return ", ".join(f"{one:,g} s" for one in delays)
        case _:
            return value_words(value)


def value_words(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case timedelta():
            return exact(value)
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,g}"
        case str():
            return value
        case _:
            return json.dumps(value)


def _typed(value: Any) -> str:
    """As its field takes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:.15g}"
        case _:
            return value_words(value)
