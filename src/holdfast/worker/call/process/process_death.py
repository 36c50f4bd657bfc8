"""How the process of a handler can fail."""

from signal import SIGKILL, Signals


class ProcessDied(Exception):
    """It ended before the handler: killed, crashed, or exited."""


class ProcessNotStarted(Exception):
    """It could not be started, or could not import the task."""


def died_with(code: int) -> ProcessDied:
    """`code` as in subprocess: a negative number is a signal."""
    if code >= 0:
        return ProcessDied(f"The handler's process exited with code {code} before the handler had returned.")
    why = " (if no person or program did that, the system was out of memory)" if -code == SIGKILL else ""
    return ProcessDied(f"The handler's process was killed by {_signal(-code)}{why}.")


def _signal(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
