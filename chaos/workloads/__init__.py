"""Every module in this folder is a workload."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from chaos.workload import Workload


@cache
def all_workloads() -> tuple[Workload, ...]:
    found = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").WORKLOAD for name in found)
