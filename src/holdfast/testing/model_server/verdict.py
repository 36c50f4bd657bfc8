"""How the server receives a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast.testing.model_server.fate import Fate
from holdfast.testing.model_server.replica import Replica, Ticket


@dataclass(frozen=True, slots=True)
class Place:
    replica: Replica
    index: int
    ticket: Ticket

    async def reach(self, part: float) -> None:
        await self.replica.reach(self.ticket, part)

    def leave(self) -> None:
        self.replica.leave(self.ticket)


@dataclass(frozen=True, slots=True)
class Refused:
    fate: Fate
    status: int
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Broken:
    """The connection is reset."""

    fate: Fate


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the client gives up; it may take a replica's memory all the while."""

    place: Place | None


@dataclass(frozen=True, slots=True)
class Admitted:
    place: Place
    first_part: float  # of the work, after which a stream begins
    failing_status: int | None  # instead of an answer, after the work
    is_error_inside: bool
    is_cut: bool


Verdict = Refused | Broken | Hangs | Admitted
