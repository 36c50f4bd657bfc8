"""Where the log of the command goes, and which loggers it shows at which level."""

import logging
import os
import sys
from collections.abc import Iterable
from enum import StrEnum

from holdfast.telemetry.emit import OWN
from holdfast.telemetry.job_log import JobLogFilter
from holdfast.telemetry.log_format import JsonFormatter, LineFormatter

# Set by the worker command for the child processes of process mode, which have no command line.
_FOR_CHILDREN = "HOLDFAST_CHILD_LOG"


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


def start_log(level: str, style: LogFormat = LogFormat.TEXT) -> None:
    """Writes the log to stderr, unless this process has a log already.

    Only our own logger gets the level. Of others, libraries included, warnings and errors are shown.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonFormatter() if style is LogFormat.JSON else LineFormatter(sys.stderr))
        handler.addFilter(JobLogFilter())
        root.addHandler(handler)
    logging.getLogger(OWN).setLevel(level.upper())


def log_modules(modules: Iterable[str], level: str) -> None:
    """The same level for the app's loggers, named after its packages, unless the app has set one itself."""
    for name in {module.partition(".")[0] for module in modules} - {OWN}:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(level.upper())


def share_log(level: str, style: LogFormat) -> None:
    """Child processes write the same log."""
    os.environ[_FOR_CHILDREN] = f"{level} {style}"


def join_log(module: str) -> None:
    """In a child process, after its module has been imported: the module may have its own log."""
    if _FOR_CHILDREN in os.environ:
        level, style = os.environ[_FOR_CHILDREN].split()
        start_log(level, LogFormat(style))
        log_modules([module], level)
