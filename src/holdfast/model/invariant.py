"""What must hold in every database at every moment, and what was found otherwise."""

from dataclasses import dataclass

from holdfast.model.id import JobId


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that must never be; `job` is None where it is not about one job."""

    name: str
    job: JobId | None
    detail: str
