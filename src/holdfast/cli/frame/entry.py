"""Where the process starts: parse, run, and turn the result or the error into an exit code."""

import os
import sys
import threading
from collections.abc import Sequence
from time import monotonic

import typer

from holdfast.cli.frame.command_list import build
from holdfast.cli.frame.error_report import report
from holdfast.cli.frame.output import flush, say
from holdfast.cli.frame.parent_link import drain_with_parent
from holdfast.cli.workers.time_box_exit import EndOfProcess, arm

INTERRUPTED = 130
# For the interpreter to end threads and exit handlers that behave; part of what a worker keeps of its grace.
LEAST_TO_EXIT = 0.4
ASKED_BY_SHELLS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # bash; zsh and fish


def main() -> None:
    drain_with_parent()
    arm(sys.argv[1:])
    code = run(sys.argv[1:])
    if EndOfProcess.due is not None:
        EndOfProcess.code = code
        EndOfProcess(max(LEAST_TO_EXIT, EndOfProcess.due - monotonic()), _name_what_lives)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    try:
        code = build(_words(arguments))(args=list(arguments), prog_name="holdfast", standalone_mode=False)
        flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.Exit as exit_:
        return exit_.exit_code
    except Exception as exc:
        return report(exc, arguments)
    return code if isinstance(code, int) else 0


def _name_what_lives() -> None:
    """Threads that a worker's handlers started could keep the process alive for ever."""
    alive = [
        one.name for one in threading.enumerate() if not one.daemon and one is not threading.main_thread()
    ]
    say(f"warning: the process is ended although these still run: {', '.join(alive) or 'exit handlers'}")


def _words(arguments: Sequence[str]) -> set[str]:
    """What may name a command; a shell that asks for completions sends the words in the environment."""
    asked = [word for name in ASKED_BY_SHELLS for word in os.environ.get(name, "").split()]
    return {*arguments, *asked}
