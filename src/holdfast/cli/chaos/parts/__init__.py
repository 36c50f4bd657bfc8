"""The mix: every module in this folder is a part of it."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from holdfast.cli.chaos.part import Part


@cache
def all_parts() -> tuple[Part, ...]:
    found = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").PART for name in found)
