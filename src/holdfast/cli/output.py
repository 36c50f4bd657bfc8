"""The two streams: data on stdout, words for people on stderr."""

import os
import sys
from collections.abc import Sequence

import typer

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
    """A line for people. If nobody reads stderr there is nobody left to tell."""
    try:
        sys.stderr.write(f"{printable(text)}\n")
        sys.stderr.flush()
    except BrokenPipeError:
        _leave()


def say_if_cut(found: Sequence[object], shown: Sequence[object]) -> None:
    """That a list goes on; whoever lists asks for one more than is shown."""
    if len(found) > len(shown):
        say(f"note: there are more than {len(shown)}; --limit shows more, --after goes on")


def printable(text: str) -> str:
    """Text from elsewhere with control characters made visible, so that it cannot steer the terminal."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in "\n\t" else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _leave() -> None:
    """Python flushes both streams at exit, which would raise once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    raise typer.Exit(READER_WENT_AWAY)
