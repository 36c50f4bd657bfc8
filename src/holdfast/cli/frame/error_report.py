"""Errors for people: a sentence and a hint on what to do, no traceback unless HOLDFAST_DEBUG is set."""

import os
import traceback
from collections.abc import Sequence

import typer

from holdfast.cli.frame.output import say, say_lines
from holdfast.model.error import HoldfastError, InvalidPayload

USAGE = 2


def report(exc: Exception, arguments: Sequence[str] = ()) -> int:
    """Say on stderr what happened; returns the exit code."""
    trace = "".join(traceback.format_exception(exc)) if os.environ.get("HOLDFAST_DEBUG") else ""
    if trace:
        say_lines(trace)
    message, hint, code = _explain(exc, arguments)
    say(f"error: {message}")
    if hint and f"hint: {hint}" not in trace:
        say(f"hint: {hint}")
    return code


def _explain(exc: Exception, arguments: Sequence[str]) -> tuple[str, str | None, int]:
    if isinstance(exc, InvalidPayload) and exc.path != "$" and exc.path not in exc.message:
        return f"{exc.message} (at {exc.path})", exc.hint, exc.exit_code
    if isinstance(exc, HoldfastError):
        return exc.message, exc.hint, exc.exit_code
    if isinstance(exc, typer.Abort):
        return "Not confirmed; nothing was changed.", None, 1
    if hasattr(exc, "format_message"):
        return exc.format_message().replace("Value error, ", ""), _usage_hint(exc, arguments), USAGE
    return (
        f"Something unexpected happened: {type(exc).__name__}: {exc}",
        "set HOLDFAST_DEBUG=1 to see the traceback, and report the error as a bug in Holdfast",
        1,
    )


def _usage_hint(exc: Exception, arguments: Sequence[str]) -> str:
    context = getattr(exc, "ctx", None)
    path = getattr(context, "command_path", "holdfast")
    option = getattr(exc, "option_name", None)
    if option in ("--database", "--data-dir", "--log-level"):
        return f"write {option} before the command: holdfast {option} … {' '.join(path.split()[1:])}"
    return f"'{path} --help' lists the commands and options"
