"""A child from its start to its end."""

import os
import socket

from holdfast.worker.handler import Handler
from holdfast.worker.processes.inside.attempt import attempt
from holdfast.worker.processes.inside.limits import apply_limits, die_with
from holdfast.worker.processes.inside.line import Line
from holdfast.worker.processes.inside.load import load_task
from holdfast.worker.processes.place import Place


def main(descriptor: int, worker: int) -> None:
    """Never returns: the worker kills it, or it dies with the worker."""
    os.register_at_fork(after_in_child=lambda: die_with(os.getppid()))
    die_with(worker)
    line = Line(socket.socket(fileno=descriptor))
    handler = _load(line)
    while True:
        order, asked = line.next_order()
        line.send(attempt(handler, line, order, asked))


def _load(line: Line) -> Handler:
    """Limits come first: what the module needs counts, too."""
    order, _ = line.next_order()
    try:
        apply_limits(**order["limits"])
        handler = Handler(load_task(Place(**order["load"])))
    except BaseException as exc:
        line.send({"failed": f"{type(exc).__name__}: {exc}", "memory": isinstance(exc, MemoryError)})
        raise
    line.send({"ready": True})
    return handler
