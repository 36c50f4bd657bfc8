"""What a fault is."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from holdfast.cli.chaos.arena import Arena

Strike = Callable[[Arena, random.Random], Awaitable[bool]]


class Place(StrEnum):
    """Where the harm is done."""

    WORKERS = "workers"
    NETWORK = "network"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Fault:
    """`strike` returns whether anybody was harmed. `weight`: how often, relative to others.

    `is_shared`: it harms more than its victim, so that what else is measured at the time says nothing.
    `is_alone`: what its victim does is judged, so nothing else may be done to it meanwhile.
    """

    name: str
    place: Place
    strike: Strike
    weight: int = 1
    is_shared: bool = False
    is_alone: bool = False

    def goes_with(self, other: "Fault") -> bool:
        """Two in one place undo each other: who starts a server that another one has stopped?"""
        return self.place is not other.place and not (self.is_alone or other.is_alone)
