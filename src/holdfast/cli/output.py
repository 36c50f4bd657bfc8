"""The two streams: data on stdout, words for people on stderr."""

import os
import shlex
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


def say_lines(text: str) -> None:
    """Several lines for people, such as a traceback of ours."""
    for line in text.rstrip().split("\n"):
        say(line)


def tell(text: str) -> None:
    """A line of data that names what others have named."""
    write(printable(text))


def command(*words: str) -> str:
    """A command of ours for people to copy, whatever is in the words."""
    return shlex.join(("holdfast", *words))


def say_if_cut(found: Sequence[object], shown: Sequence[object]) -> None:
    """That a list goes on; whoever lists asks for one more than is shown."""
    if len(found) > len(shown):
        say(f"note: there are more than {len(shown)}; --limit shows more, --after goes on")


def printable(text: str) -> str:
    """One line of text from elsewhere: control characters and line breaks can neither steer nor forge."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _leave() -> None:
    """Python flushes both streams at exit, which would raise once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    raise typer.Exit(READER_WENT_AWAY)
