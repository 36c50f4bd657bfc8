"""What a fault is."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from holdfast.cli.chaos.arena import Arena

Strike = Callable[[Arena, random.Random], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Fault:
    """`strike` returns whether anybody was harmed. `weight`: how often, relative to others.

    `is_shared`: it harms more than its victim, so that what else is measured at the time says nothing.
    """

    name: str
    strike: Strike
    weight: int = 1
    is_shared: bool = False
