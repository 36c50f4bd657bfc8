"""From `-A package.module:app` to the app, with a sentence for every way in which that can go wrong."""

import importlib
import sys
import traceback
from pathlib import Path

from holdfast.client.app import Holdfast
from holdfast.model.error import BadHandler, HoldfastError, InvalidOption

EXAMPLE = "give the module and the variable that holds the app, such as -A shop.jobs:app"


def load_app(path: str) -> Holdfast:
    module_name, _, attribute = path.partition(":")
    if not module_name or not all(part.isidentifier() for part in module_name.split(".")):
        raise InvalidOption(f"-A must be MODULE:VARIABLE (got {path!r}).", EXAMPLE)
    module = _import(module_name)
    attribute = attribute or "app"
    found = getattr(module, attribute, None)
    if isinstance(found, Holdfast):
        return found
    apps = sorted(name for name, value in vars(module).items() if isinstance(value, Holdfast))
    what = "is not a Holdfast app" if found is not None else "does not exist"
    raise InvalidOption(
        f"The variable {attribute} in {module_name} {what}.",
        f"use -A {module_name}:{apps[0]}" if apps else f"write {attribute} = Holdfast() in {module_name}",
    )


def _import(name: str) -> object:
    """The current directory comes first, as with `python -m`."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except HoldfastError as exc:
        raise _in_place(exc, name) from exc
    except ModuleNotFoundError as exc:
        if exc.name is not None and (name == exc.name or name.startswith(f"{exc.name}.")):
            raise InvalidOption(
                f"The module {exc.name} was not found (the current directory is {here}).",
                f"run the command in the directory that contains {exc.name.split('.')[0]}, or install the "
                f"package; {EXAMPLE}",
            ) from exc
        raise _broken(exc, name) from exc
    except (Exception, SystemExit) as exc:
        raise _broken(exc, name) from exc


def _broken(exc: BaseException, name: str) -> InvalidOption:
    return InvalidOption(
        f"Importing {name} failed: {type(exc).__name__}: {exc}{_place(exc)}.",
        f"correct the error there; python -c 'import {name}' shows the whole traceback",
    )


def _in_place(exc: HoldfastError, name: str) -> HoldfastError:
    """A handler that cannot be a handler is wrong usage, like any other error in the app's own code."""
    kind = type(exc) if isinstance(exc, BadHandler) else InvalidOption
    return kind(f"Importing {name} failed: {exc.message.rstrip('.')}{_place(exc)}.", exc.hint)


def _place(exc: BaseException) -> str:
    """Where in the user's code; frames of the import system and of Holdfast do not help."""
    own = str(Path(__file__).parents[1])
    frames = [
        frame
        for frame in traceback.extract_tb(exc.__traceback__)
        if not frame.filename.startswith((own, "<frozen")) and "importlib" not in frame.filename
    ]
    return f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
