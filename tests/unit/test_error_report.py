"""The traceback of a failure is the one that Python prints, without the carets below its lines."""

import re
import traceback
from collections.abc import Callable

import pytest

from holdfast.model.outcome import ErrorClass
from holdfast.worker.attempt.error_report import report_of

CARETS = re.compile(r"^[ |+]*[\^~]+[ \^~]*$\n", re.MULTILINE)


def division(by: int = 0) -> float:
    return (1 + 2) / by


def chained() -> None:
    try:
        division()
    except ZeroDivisionError as exc:
        raise ValueError("of the other") from exc


def while_handling() -> None:
    try:
        division()
    except ZeroDivisionError:
        dict[str, int]()["missing"]


def grouped() -> None:
    found: list[Exception] = []
    for function in (division, chained):
        try:
            function()
        except Exception as exc:
            found.append(exc)
    raise ExceptionGroup("both", found)


def long_chain() -> None:
    error = ValueError("first")
    for n in range(3_000):
        later = ValueError(n)
        later.__context__ = error
        error = later
    raise error


def noted() -> None:
    try:
        division()
    except ZeroDivisionError as exc:
        exc.add_note("in the first of two lines\nand the second")
        raise


def recursive(depth: int = 9) -> float:
    return recursive(depth - 1) if depth else division()


@pytest.mark.parametrize("raises", [division, noted, recursive, chained, while_handling, grouped, long_chain])
def test_the_text_is_that_of_the_standard_library_without_carets(raises: Callable[[], object]) -> None:
    with pytest.raises((ArithmeticError, ValueError, LookupError, ExceptionGroup)) as caught:
        raises()
    standard = "".join(traceback.format_exception(caught.value))
    found = report_of(caught.value, ErrorClass.TRANSIENT).traceback
    assert "^" in standard or raises is long_chain
    assert found == CARETS.sub("", standard)
    assert "^" not in (found or "^")


def test_the_marks_of_a_syntax_error_stay() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile("f(1 2)", "formula", "eval")
    found = report_of(caught.value, ErrorClass.TRANSIENT).traceback
    assert found is not None
    assert "    f(1 2)\n      ^^^\n" in found
