"""Where a worker serves its figures."""

from dataclasses import dataclass

from holdfast.model.error import InvalidOption

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class MetricsAddress:
    """`port` 0: any free port, which the log names."""

    port: int
    host: str = LOOPBACK

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise InvalidOption(
                f"The port for metrics must be between 0 and 65535 (got {self.port}).", "choose another port"
            )
