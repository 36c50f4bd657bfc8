"""What a fault is."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from chaos.cluster import Cluster

Inject = Callable[[Cluster, random.Random], Awaitable[bool]]


class Place(StrEnum):
    """What a fault affects."""

    WORKERS = "workers"
    NETWORK = "network"
    DATABASE = "database"
    API = "api"


@dataclass(frozen=True, slots=True)
class Fault:
    """`inject` returns whether it affected a process. `weight`: how often, relative to others.

    `is_shared`: it affects every worker, so that no worker can rescue jobs during it.
    `is_alone`: the exit of its worker is checked, so no other fault may affect that worker.
    """

    name: str
    place: Place
    inject: Inject
    weight: int = 1
    is_shared: bool = False
    is_alone: bool = False

    def goes_with(self, other: "Fault") -> bool:
        """Two faults in one place undo each other: one may start the server that the other has stopped."""
        return self.place is not other.place and not (self.is_alone or other.is_alone)
