"""A child from its start to its end."""

import os
import socket

from holdfast.worker.handler import Handler
from holdfast.worker.processes.inside.attempt import attempt
from holdfast.worker.processes.inside.limits import apply_limits, die_with
from holdfast.worker.processes.inside.line import Line
from holdfast.worker.processes.inside.load import load_task
from holdfast.worker.processes.inside.room import Room
from holdfast.worker.processes.place import Place


def main(descriptor: int, worker: int) -> None:
    """Until the worker tells it to close; as a rule the worker kills it, or it dies with the worker."""
    os.register_at_fork(after_in_child=lambda: die_with(os.getppid()))
    die_with(worker)
    line = Line(socket.socket(fileno=descriptor))
    handler, room = _load(line)
    while True:
        order, asked = room.next_order(line)
        if "close" in order:
            break
        line.send(attempt(handler, room, line, order, asked))
    room.close()


def _load(line: Line) -> tuple[Handler, Room]:
    """Limits come first: what the module needs counts, too."""
    order, _ = line.next_order()
    try:
        apply_limits(**order["limits"])
        task = load_task(Place(**order["load"]))
        handler, room = Handler(task), Room(task.surroundings)
    except BaseException as exc:
        line.send({"failed": f"{type(exc).__name__}: {exc}", "memory": isinstance(exc, MemoryError)})
        raise
    line.send({"ready": True, "closes": room.needs_closing})
    return handler, room
