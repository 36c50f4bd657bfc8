"""Where a new interpreter imports a task from."""

import sys
from dataclasses import dataclass

from holdfast.worker.attempt.handler import Handler
from holdfast.worker.call.process.process_death import ProcessNotStarted


@dataclass(frozen=True, slots=True)
class TaskLocation:
    """The app's path (`package.module:app`) if it is known, else the handler's own module."""

    task: str
    app_path: str | None
    module: str
    main_file: str | None  # the program itself, which cannot be imported by name
    qualname: str


def location_of(handler: Handler, app_path: str | None) -> TaskLocation:
    function = handler.function
    module, main_file = str(function.__module__), None
    if module == "__main__" and app_path is None:
        module, main_file = _program(handler.name)
    return TaskLocation(handler.name, app_path, module, main_file, function.__qualname__)


def _program(task: str) -> tuple[str, str | None]:
    """`python -m name` can be imported as name; a script only by its file."""
    main = sys.modules["__main__"]
    if main.__spec__ is not None:
        return main.__spec__.name, None
    file = getattr(main, "__file__", None)
    if file is None:
        raise ProcessNotStarted(
            f"The task {task} is defined in a program without a file, so no other process can import it; "
            "define the task in a module."
        )
    return "__main__", str(file)
