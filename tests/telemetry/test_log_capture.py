"""The handler that keeps what jobs log: it never raises, and hides nothing from others."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from holdfast.telemetry.attempt_log import LOG_LIMIT, AttemptLog, Line
from holdfast.telemetry.job_log import RunningAttempt, running_attempt
from holdfast.telemetry.log_capture import LogCapture, line_of


@contextmanager
def captured(log: AttemptLog | None) -> Iterator[logging.Logger]:
    """A logger whose only handler keeps lines in `log`, inside an attempt."""
    with capturing(lambda _: log) as logger:
        yield logger


@contextmanager
def capturing(log_of: Callable[[RunningAttempt], AttemptLog | None]) -> Iterator[logging.Logger]:
    logger, capture = logging.getLogger("shop"), LogCapture(log_of)
    attempt: Any = SimpleNamespace(job=None)
    before = running_attempt.set(attempt)
    elsewhere = logging.NullHandler()  # the line is in some log, too
    logger.addHandler(capture)
    logger.addHandler(elsewhere)
    logger.propagate = False
    try:
        yield logger
    finally:
        logger.propagate = True
        logger.removeHandler(elsewhere)
        logger.removeHandler(capture)
        running_attempt.reset(before)


def kept(log: AttemptLog) -> list[str]:
    return [line.message for line in log.take()[0]]


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no words")


class Chatty:
    """Logs while it is formatted."""

    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger

    def __str__(self) -> str:
        self.logger.warning("inner")
        return "outer"


def test_a_record_that_cannot_be_formatted_is_kept_without_its_arguments() -> None:
    with captured(log := AttemptLog()) as logger:
        logger.warning("%d items", "many")
        logger.warning("got %s", Broken())
        logger.warning(Broken())
    assert kept(log) == [
        "%d items (its arguments raised TypeError)",
        "got %s (its arguments raised RuntimeError)",
        "a Broken (its arguments raised RuntimeError)",
    ]


def test_an_argument_may_log_while_it_is_formatted() -> None:
    with captured(log := AttemptLog()) as logger:
        logger.warning("%s", Chatty(logger))
    assert kept(log) == ["inner", "outer"]


def test_an_error_of_the_handler_itself_does_not_reach_the_job(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(_: Any) -> None:
        raise RuntimeError("a bug")

    with capturing(fails) as logger:
        logger.warning("working")
    assert "RuntimeError: a bug" in capsys.readouterr().err


def test_the_end_of_a_long_traceback_stays_and_the_line_is_bounded() -> None:
    def deep(n: int) -> None:
        if n == 0:
            raise ValueError("the point")
        (deep if n % 2 else also_deep)(n - 1)  # not the same line again and again, which is folded

    def also_deep(n: int) -> None:
        deep(n)

    with captured(log := AttemptLog()) as logger:
        try:
            deep(200)
        except ValueError:
            logger.exception("caught %s", "x" * 9000)
        logger.warning("y" * 20_000)
    first, second = kept(log)
    assert first.startswith("caught x")
    assert first.endswith("ValueError: the point")
    assert second.endswith("(cut)")
    assert max(len(first.encode()), len(second.encode())) <= 8192


def test_what_the_database_cannot_store_is_replaced() -> None:
    record = logging.LogRecord("sh\x00op", logging.INFO, "", 0, "a\x00b \ud800", (), None)
    line = line_of(record)
    assert (line.logger, line.message) == ("sh\ufffdop", "a\ufffdb ?")


def test_a_log_holds_no_more_than_its_limit() -> None:
    log = AttemptLog()
    with captured(log) as logger:
        for _ in range(10_000):
            logger.warning("x" * 100)
    lines, is_cut = log.take()
    assert is_cut
    assert LOG_LIMIT - 200 < sum(line.size for line in lines) <= LOG_LIMIT
    log.add(Line("", "", "", ""))
    assert not log.has_news
    assert log.take() == ([], True)


def test_lines_that_were_taken_count_against_the_limit() -> None:
    log = AttemptLog()
    taken = 0
    while not log.is_cut:
        log.add(Line("", "INFO", "shop", "x" * 1000))
        taken += len(log.take()[0])
    assert taken == LOG_LIMIT // (1000 + 4 + 32)


def test_warnings_still_go_to_stderr_where_nothing_else_takes_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """logging does that itself as long as there is no handler at all."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [LogCapture(lambda _: None)])
    logging.getLogger("shop").warning("seen")
    logging.getLogger("shop").info("not seen")
    other = logging.NullHandler()
    logging.getLogger("quiet").addHandler(other)
    logging.getLogger("quiet").warning("handled")
    logging.getLogger("quiet").removeHandler(other)
    assert capsys.readouterr().err == "seen\n"
