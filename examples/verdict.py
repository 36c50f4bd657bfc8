"""What an example proved: named checks, and one line and one exit code that are both derived from them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """`name`: what has to be true, as a short phrase. `found`: what was found, with its numbers."""

    name: str
    passed: bool
    found: str

    def __str__(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.name}: {self.found}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict without checks fails: it has proved nothing."""

    checks: Sequence[Check]

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if not check.passed]

    @property
    def passed(self) -> bool:
        return bool(self.checks) and not self.failed

    @property
    def exit_code(self) -> int:
        return 0 if self.passed else 1

    def line(self, example: str, seconds: float) -> str:
        """The last line of an example's output."""
        if self.passed:
            return f"{example}: passed, {len(self.checks)} checks, {seconds:.0f} s"
        names = "; ".join(check.name for check in self.failed) or "no checks were made"
        return f"{example}: FAILED, {len(self.failed)} of {len(self.checks)} checks: {names}"

    def document(self, example: str, seconds: float) -> dict[str, Any]:
        """The same as JSON."""
        checks = [asdict(check) for check in self.checks]
        return {
            "example": example,
            "passed": self.passed,
            "seconds": round(seconds, 1),
            "checks": checks,
        }
