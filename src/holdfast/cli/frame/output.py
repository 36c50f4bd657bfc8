"""The two streams: data on stdout, words for people on stderr."""

import os
import shlex
import sys

import typer

from holdfast.model.printable import printable

READER_WENT_AWAY = 141  # what a shell reports for a process that SIGPIPE ended


def write(text: str) -> None:
    """A line of data."""
    try:
        sys.stdout.write(f"{text}\n")
    except BrokenPipeError:
        _leave()


def flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave()


def say(text: str) -> None:
    """A line for people. Without a reader of stderr the command ends."""
    try:
        sys.stderr.write(f"{printable(text)}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        _leave()


def say_lines(text: str) -> None:
    """Several lines for people, such as a traceback of ours."""
    for line in text.rstrip().split("\n"):
        say(line)


def tell(text: str) -> None:
    """A line of data with names from elsewhere, in which control characters are escaped."""
    write(printable(text))


def command(*words: str) -> str:
    """A command of ours for people to copy, whatever is in the words."""
    return shlex.join(("holdfast", *words))


def _leave() -> None:
    """Python flushes both streams at exit, which would raise once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    raise typer.Exit(READER_WENT_AWAY)
