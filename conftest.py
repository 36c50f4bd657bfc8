"""Runs tests marked `alone` one at a time, over all processes of this user, and lets Ctrl-C be tested.

A file lock and not an xdist group: with pytest 9.2 and xdist 3.8 `--dist loadgroup` spreads the tests of a
group over the processes without a word. The lock is taken before pytest-timeout starts its clock, so waiting
for it costs no test its time. They come first: with `--dist worksteal` the first process then has them all,
and the other takes the rest from it instead of waiting for the lock.
"""

import fcntl
import os
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

# A shell starts its background jobs with SIGINT ignored, and what the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LOCK = Path(tempfile.gettempdir()) / f"holdfast-tests-alone-{os.getuid()}.lock"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("alone") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A dashboard that was never looked at must not go unnoticed among the dots."""
    skipped = terminalreporter.stats.get("skipped", [])
    unseen = sum("there is no chromium" in str(one.longrepr) for one in skipped)
    if unseen:
        words = (
            f"tests of the dashboard's pages that did NOT run: {unseen}; install Debian's package chromium"
        )
        terminalreporter.write_line(words, red=True, bold=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("alone") is None:
        return (yield)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)
