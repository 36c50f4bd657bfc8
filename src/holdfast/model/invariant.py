"""Violations of the rules that hold in every database at every moment."""

from dataclasses import dataclass

from holdfast.model.id import JobId


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation; `job` is None if it does not concern a single job."""

    name: str
    job: JobId | None
    detail: str
