"""Retry policies: a list of delays, an exponential rule, or a preset that the database knows by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption

PRESETS = ("default", "analysis-runs", "posts", "repo-capture", "alerts", "chat")
MOST_DELAYS = 100
MOST_TRIES = 32_767
MOST_JITTER = 10
LONGEST_DELAY = timedelta(days=365)


class RetryPolicy(ABC):
    """When and how often a failed job is retried."""

    __slots__ = ()

    @abstractmethod
    def to_json(self) -> Any:
        """The policy as the SQL verbs take it."""

    @staticmethod
    def preset(name: str) -> "RetryPolicy":
        return PresetRetry(name)

    @staticmethod
    def fixed(*delays: Duration) -> "RetryPolicy":
        """N delays: N + 1 attempts in all."""
        return FixedRetry.of(delays)

    @staticmethod
    def exponential(
        base: Duration = 5,
        *,
        factor: float = 2.0,
        cap: Duration = 300,
        jitter: float = 0.3,
        tries: int = 3,
    ) -> "RetryPolicy":
        """base, base·factor, base·factor² … up to cap; jitter only adds, up to that fraction."""
        return ExponentialRetry(
            parse_duration(base), float(factor), parse_duration(cap), float(jitter), tries
        )

    @staticmethod
    def parse(value: "RetryPolicy | str | Mapping[str, Any] | Iterable[Duration]") -> "RetryPolicy":
        """A policy from itself, a preset's name, a mapping as in JSON, or a list of delays."""
        if isinstance(value, RetryPolicy):
            return value
        if isinstance(value, str):
            return PresetRetry(value)
        if isinstance(value, Mapping):
            return _from_mapping(value)
        if isinstance(value, Iterable):
            return FixedRetry.of(value)
        raise InvalidOption(
            f"retry must be a list of delays, a RetryPolicy or the name of a preset (got {value!r}).", _HINT
        )


_HINT = f'pass delays such as ["1m", "5m"], RetryPolicy.exponential(…), or one of {", ".join(PRESETS)}'


@dataclass(frozen=True, slots=True)
class PresetRetry(RetryPolicy):
    """A policy that the database holds under this name."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in PRESETS:
            raise InvalidOption(
                f"The name of a retry policy must be one of {', '.join(PRESETS)} (got {self.name!r}).", _HINT
            )

    def to_json(self) -> Any:
        return self.name


@dataclass(frozen=True, slots=True)
class FixedRetry(RetryPolicy):
    """One delay per retry."""

    delays: tuple[timedelta, ...]

    def __post_init__(self) -> None:
        if len(self.delays) > MOST_DELAYS:
            raise InvalidOption(
                f"A retry policy must have at most {MOST_DELAYS} delays (got {len(self.delays)}).", _HINT
            )
        for delay in self.delays:
            _check_delay(delay)

    @classmethod
    def of(cls, delays: Iterable[Duration]) -> Self:
        return cls(tuple(parse_duration(delay) for delay in delays))

    def to_json(self) -> Any:
        return {"delays": [_number(delay) for delay in self.delays]}


@dataclass(frozen=True, slots=True)
class ExponentialRetry(RetryPolicy):
    """Delays that grow by a factor up to a cap."""

    base: timedelta
    factor: float
    cap: timedelta
    jitter: float
    tries: int

    def __post_init__(self) -> None:
        _check_tries(self.tries)
        _check_delay(self.base)
        _check_delay(self.cap)
        if not 1 <= self.factor <= 100:
            raise InvalidOption(
                f"A retry policy's factor must be between 1 and 100 (got {self.factor!r}).", _HINT
            )
        if not 0 <= self.jitter <= MOST_JITTER:
            raise InvalidOption(
                f"A retry policy's jitter must be between 0 and {MOST_JITTER} (got {self.jitter!r}).", _HINT
            )

    def to_json(self) -> Any:
        return {
            "base": _number(self.base),
            "factor": self.factor,
            "cap": _number(self.cap),
            "jitter": self.jitter,
            "tries": self.tries,
        }


def _from_mapping(value: Mapping[str, Any]) -> RetryPolicy:
    try:
        if set(value) == {"delays"}:
            return FixedRetry.of(value["delays"])
        return RetryPolicy.exponential(**value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidOption(f"retry has wrong keys or values (got {dict(value)!r}).", _HINT) from None


def _check_tries(tries: object) -> None:
    if isinstance(tries, bool) or not isinstance(tries, int) or not 1 <= tries <= MOST_TRIES:
        raise InvalidOption(
            f"A retry policy must have between 1 and {MOST_TRIES} tries (got {tries!r}).", _HINT
        )


def _check_delay(delay: timedelta) -> None:
    if delay > LONGEST_DELAY:
        raise InvalidOption(
            f"A retry's delay must be at most {LONGEST_DELAY.days} days (got {delay}).", _HINT
        )


def _number(delay: timedelta) -> float | int:
    seconds = delay.total_seconds()
    return int(seconds) if seconds.is_integer() else seconds
