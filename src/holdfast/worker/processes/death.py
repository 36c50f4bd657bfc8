"""How a process that ran a handler can fail the worker."""

from signal import SIGKILL, Signals


class ProcessDied(Exception):
    """It ended before the handler had: killed, crashed, or left by itself."""


class ProcessNotStarted(Exception):
    """It could not be started, or could not find the task."""


def died_with(code: int) -> ProcessDied:
    """`code` as subprocess counts it: below zero it is a signal."""
    if code >= 0:
        return ProcessDied(f"The handler's process exited with code {code} before the handler had returned.")
    why = " (if nobody killed it, the system was out of memory)" if -code == SIGKILL else ""
    return ProcessDied(f"The handler's process was killed by {_signal(-code)}{why}.")


def _signal(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
