"""Finds the task in a new interpreter."""

import asyncio
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from types import ModuleType
from typing import Any

from holdfast.model.error import UnknownTask
from holdfast.worker.processes.place import Place
from holdfast.worker.tasks import WorkerTask

PROGRAM = "__holdfast_program__"


def load_task(place: Place) -> WorkerTask:
    found = _in_app(place.app_path, place.task) if place.app_path is not None else _in_module(place)
    if found is None:
        raise UnknownTask(
            f"{place.task} is not a task of {place.app_path or place.module}.",
            "decorate the function with @app.task(…) at the top level of its module",
        )
    return found


def _in_app(path: str, task: str) -> WorkerTask | None:
    module, _, variable = path.partition(":")
    found: WorkerTask | None = getattr(import_module(module), variable or "app").tasks.get(task)
    return found


def _in_module(place: Place) -> WorkerTask | None:
    """What the handler's name means there, else a task of any app there: a task may be made without `@`."""
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
    """The program that the worker was started with, under another name than `__main__`."""
    spec = spec_from_file_location(PROGRAM, file)
    if spec is None or spec.loader is None:
        raise UnknownTask(f"{file} cannot be imported.", "put the task into a module")
    module = module_from_spec(spec)
    sys.modules[PROGRAM] = module
    asyncio.run(_execute(spec.loader, module))
    return module


async def _execute(loader: Any, module: ModuleType) -> None:
    """Inside a running loop: one that the program starts is refused there, and so is `enqueue_sync`.

    Without that, a program that does not say `if __name__ == "__main__":` would start all over in here.
    """
    try:
        loader.exec_module(module)
    except RuntimeError as exc:
        if "running event loop" not in str(exc):
            raise
        raise UnknownTask(
            f"{module.__file__} starts at once when it is imported; put what starts it under "
            'if __name__ == "__main__":'
        ) from exc
