"""A value that handlers share, as its next caller finds it."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from holdfast.model.payload import JsonText


class Taking(StrEnum):
    """`found`: the value is there. `compute`: the caller must compute it. `wait`: another attempt does."""

    FOUND = "found"
    COMPUTE = "compute"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class TakenValue:
    """The fields are the columns of take_cached_value, in their order."""

    result: Taking
    value: JsonText | None
    writer: UUID | None  # what the one who computes it needs to store it
