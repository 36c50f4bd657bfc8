"""Imports the task in a new interpreter."""

import asyncio
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from types import ModuleType
from typing import Any

from holdfast.model.error import UnknownTask
from holdfast.worker.call.process.task_location import TaskLocation
from holdfast.worker.worker_app import WorkerTask

PROGRAM = "__holdfast_program__"


def load_task(place: TaskLocation) -> WorkerTask:
    found = _in_app(place.app_path, place.task) if place.app_path is not None else _in_module(place)
    if found is None:
        raise UnknownTask(
            f"{place.app_path or place.module} has no task {place.task}.",
            "decorate the function with @app.task(…) at the top level of its module",
        )
    return found


def _in_app(path: str, task: str) -> WorkerTask | None:
    module, _, variable = path.partition(":")
    found: WorkerTask | None = getattr(import_module(module), variable or "app").tasks.get(task)
    return found


def _in_module(place: TaskLocation) -> WorkerTask | None:
    """The object with the handler's name, else a task of any app there: a task may be created without `@`."""
    module = import_module(place.module) if place.main_file is None else _program(place.main_file)
    found: Any = attrgetter(place.qualname)(module)
    if _is_task(found, place.task):
        return _as_task(found)
    for value in vars(module).values():
        tasks = getattr(value, "tasks", None)
        if isinstance(tasks, dict) and _is_task(tasks.get(place.task), place.task):
            return _as_task(tasks[place.task])
    return None


def _is_task(value: Any, name: str) -> bool:
    return getattr(value, "name", None) == name and callable(getattr(value, "bind", None))


def _as_task(value: Any) -> WorkerTask:
    task: WorkerTask = value
    return task


def _program(file: str) -> ModuleType:
    """Imports the worker's program under a name other than `__main__`."""
    spec = spec_from_file_location(PROGRAM, file)
    if spec is None or spec.loader is None:
        raise UnknownTask(
            f"A child process cannot import {file}, where the task is defined.",
            "define the task in a module that can be imported by name, such as shop/jobs.py",
        )
    module = module_from_spec(spec)
    sys.modules[PROGRAM] = module
    asyncio.run(_execute(spec.loader, module))
    return module


async def _execute(loader: Any, module: ModuleType) -> None:
    """Imports inside a running loop, where starting another loop fails, and so does `enqueue_sync`.

    Otherwise a program without `if __name__ == "__main__":` would run again in the child.
    """
    try:
        loader.exec_module(module)
    except RuntimeError as exc:
        if "running event loop" not in str(exc):
            raise
        raise UnknownTask(
            f"{module.__file__} runs its main program when it is imported. Put the call of the main program, "
            'such as asyncio.run(main()), under if __name__ == "__main__":'
        ) from exc
