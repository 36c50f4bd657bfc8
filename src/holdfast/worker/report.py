"""What a worker has done, for the row that people see and for whoever started it."""

from dataclasses import dataclass


@dataclass(slots=True)
class WorkerReport:
    """Counts since the start. `unsettled`: ends that could not be sent before it had to leave."""

    processed: int = 0
    failed: int = 0
    lost: int = 0
    unsettled: int = 0
