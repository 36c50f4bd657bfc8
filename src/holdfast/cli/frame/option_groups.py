"""Options that several commands take together, such as a filter: written once, handed over as one value."""

import inspect
from collections.abc import Callable
from functools import wraps
from inspect import Parameter
from typing import TypeVar

T = TypeVar("T")


def takes(**makers: Callable[..., object]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """For each name, the command gets what its maker makes of the options that the maker's parameters are.

    Typer reads a signature, so the command is given one in which the maker's parameters stand for its own.
    A maker may itself take a set.
    """
    sets = {name: _parameters(maker) for name, maker in makers.items()}

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        @wraps(command)
        def called(**given: object) -> T:
            made = {
                name: makers[name](**{option.name: given.pop(option.name) for option in options})
                for name, options in sets.items()
            }
            return command(**given, **made)

        shown = [one for own in _parameters(command) for one in sets.get(own.name, [own])]
        called.__annotations__ = {one.name: one.annotation for one in shown}
        vars(called)["__signature__"] = inspect.Signature(shown)
        return called

    return decorate


def _parameters(function: Callable[..., object]) -> list[Parameter]:
    """By keyword only: those without a default may then follow those with one."""
    found = inspect.signature(function, eval_str=True).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY) for one in found]
