"""What the simulated endpoint is like at a time."""

from dataclasses import dataclass

SLOTS = 4  # calls that one replica serves at full speed, if nothing else is said


@dataclass(frozen=True, slots=True)
class Conditions:
    replicas: int = 2
    slots: int = SLOTS
    is_batching: bool = False  # continuous batching: each further call slows the others only a little
    room: int = 2 * SLOTS  # calls that a replica takes before it refuses or hangs
    hang: float = 0.35  # share of the calls beyond its room that hang until the client gives up
    errors: float = 0.03  # share of the calls that fail whatever the load
    units_per_minute: float = 0.0  # budget above which it answers 429; 0: none
    is_down: bool = False
    hang_when_down: float = 0.3
    burst: float = 0.0  # share of the calls that fail at once
    speed: float = 1.0

    def speed_of_each(self, calls: int) -> float:
        """Share of full speed that each of so many calls on one replica gets."""
        if self.is_batching:
            return self.speed / (1.0 + 0.07 * max(0, calls - 1))
        if calls <= self.slots:
            return self.speed
        return self.speed * self.slots / calls / (1.0 + 0.06 * (calls - self.slots))
