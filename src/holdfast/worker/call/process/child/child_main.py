"""The main function of a child process."""

import socket

from holdfast.telemetry.log_setup import join_log
from holdfast.worker.attempt.handler import Handler
from holdfast.worker.call.process.child.child_attempt import run_attempt
from holdfast.worker.call.process.child.child_limits import apply_limits, die_with, let_forks_die_with_it
from holdfast.worker.call.process.child.child_log import ChildLog
from holdfast.worker.call.process.child.handler_loop import HandlerLoop
from holdfast.worker.call.process.child.load_task import load_task
from holdfast.worker.call.process.child.parent_connection import ParentConnection
from holdfast.worker.call.process.task_location import TaskLocation


def main(descriptor: int, worker: int) -> None:
    """Until the worker tells it to close; usually the worker kills it, or it dies with the worker."""
    let_forks_die_with_it()
    die_with(worker)
    parent = ParentConnection(socket.socket(fileno=descriptor))
    handler, loop = _load(parent)
    log = ChildLog(parent)
    while True:
        order, asked = loop.next_order(parent)
        if "close" in order:
            break
        parent.send(run_attempt(handler, loop, parent, log, order, asked))
    loop.close()


def _load(parent: ParentConnection) -> tuple[Handler, HandlerLoop]:
    """Sets the limits first, because the memory of the module counts too."""
    order, _ = parent.next_order()
    try:
        apply_limits(**order["limits"])
        task = load_task(TaskLocation(**order["load"]))
        join_log(task.handler.__module__)
        handler, loop = Handler(task), HandlerLoop(task.app_hooks)
    except BaseException as exc:
        parent.send({"failed": f"{type(exc).__name__}: {exc}", "memory": isinstance(exc, MemoryError)})
        raise
    parent.send({"ready": True, "closes": loop.needs_closing})
    return handler, loop
