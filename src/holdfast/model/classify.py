"""The class of a handler's exception: the table for HTTP answers, and the task's own rules."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption
from holdfast.model.http_answer import HttpAnswer, answer_in, attribute
from holdfast.model.outcome import ErrorClass
from holdfast.model.retry_after_header import LONGEST_WAIT

# Other statuses are transient, and so are timeouts, broken connections and all other exceptions.
BY_STATUS = {
    400: ErrorClass.PERMANENT,
    401: ErrorClass.PERMANENT,
    403: ErrorClass.PERMANENT,  # unless its headers name a rate limit
    404: ErrorClass.PERMANENT,
    413: ErrorClass.PERMANENT,
    422: ErrorClass.PERMANENT,
    429: ErrorClass.RATE_LIMITED,
}
RATE_LIMITED_BY_HEADERS = frozenset({403, 503, 529})
# The cause is our key, not the job: from an endpoint that has worked, the database makes them `system`.
REFUSALS = frozenset({401, 403})

Said = ErrorClass | str | None
Rules = Mapping[type[BaseException], ErrorClass | str] | Callable[[BaseException], Said]


@dataclass(frozen=True, slots=True)
class Verdict:
    error_class: ErrorClass
    retry_after: timedelta | None = None
    refused: bool = False  # the endpoint does not accept our key, or no longer


@dataclass(frozen=True, slots=True)
class Classifier:
    """The task's rules (classes by exception type, or a function that may return None), then the table."""

    rules: Rules | None = None

    @classmethod
    def parse(cls, rules: Rules | None) -> "Classifier":
        if isinstance(rules, Mapping):
            return cls({_exception(kind): error_class(said) for kind, said in rules.items()})
        if rules is not None and not callable(rules):
            raise InvalidOption(
                f"classify must be a mapping or a function (got {rules!r}).",
                'pass {MyError: "rate_limited"}, or a function that returns the class of an exception',
            )
        return cls(rules)

    def __call__(self, exc: BaseException) -> Verdict:
        """Lets exceptions of the task's own function pass."""
        answer = answer_in(exc)
        said = self._said(exc)
        found = by_table(answer) if said is None else error_class(said)
        if found is not ErrorClass.PERMANENT:
            return Verdict(found, _wait(exc, answer))
        return Verdict(found, refused=said is None and answer is not None and answer.status in REFUSALS)

    def _said(self, exc: BaseException) -> Said:
        if not isinstance(self.rules, Mapping):
            return None if self.rules is None else self.rules(exc)
        rules: Mapping[type, Said] = self.rules
        return next((rules[kind] for kind in type(exc).__mro__ if kind in rules), None)


def by_table(answer: HttpAnswer | None) -> ErrorClass:
    if answer is None:
        return ErrorClass.TRANSIENT
    if answer.status in RATE_LIMITED_BY_HEADERS and answer.limits_the_rate:
        return ErrorClass.RATE_LIMITED
    return BY_STATUS.get(answer.status, ErrorClass.TRANSIENT)


def error_class(said: Any) -> ErrorClass:
    try:
        return ErrorClass(said)
    except ValueError:
        raise InvalidOption(
            f"An error class must be one of {', '.join(ErrorClass)} (got {said!r}).",
            "correct the rules in the argument classify=",
        ) from None


STANDARD = Classifier()


def _exception(kind: Any) -> type[BaseException]:
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return kind
    raise InvalidOption(
        f"The keys of classify must be exception types (got {kind!r}).", "use exception classes as keys"
    )


def _wait(exc: BaseException, answer: HttpAnswer | None) -> timedelta | None:
    """The answer's Retry-After, else the exception's own `retry_after`."""
    if answer is not None:
        return answer.retry_after()
    asked = attribute(exc, "retry_after")
    return parse_duration(asked) if isinstance(asked, timedelta | int | float) and _is_wait(asked) else None


def _is_wait(asked: timedelta | float) -> bool:
    seconds = asked.total_seconds() if isinstance(asked, timedelta) else asked
    return 0 <= seconds <= LONGEST_WAIT.total_seconds()
