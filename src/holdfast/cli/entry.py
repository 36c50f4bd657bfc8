"""Where the process starts: parse, run, and turn whatever happens into an exit code."""

import os
import sys
from collections.abc import Sequence

import typer

from holdfast.cli.commands import build
from holdfast.cli.early_end import arm
from holdfast.cli.errors import report
from holdfast.cli.output import flush

INTERRUPTED = 130
ASKED_BY_SHELLS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")  # bash; zsh and fish


def main() -> None:
    arm(sys.argv[1:])
    sys.exit(run(sys.argv[1:]))


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


def _words(arguments: Sequence[str]) -> set[str]:
    """What may name a command; a shell that asks for completions sends the words in the environment."""
    asked = [word for name in ASKED_BY_SHELLS for word in os.environ.get(name, "").split()]
    return {*arguments, *asked}
