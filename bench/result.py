"""Figures of a suite: every run is kept, the median counts, and each is shown as a ratio to ours."""

import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median

OURS = "holdfast"
OLDER = "holdfast@"  # an older commit of ours, before its short name
CHECKOUT = Path(__file__).parent.parent
WRITTEN = ("bench/results", "docs")  # what a measurement changes itself
COMPUTED = {"share", "x"}  # units of what is computed from other figures, and no run of its own
# What gets done, and how much of a ceiling: more is better. All else is a price, also statements per second.
MORE = {"jobs/s", "calls/s", "share", "% of updates"}
Key = tuple[str, str]  # a system and the name of one of its figures


def load_average() -> float | None:
    """How busy the machine was in the last minute."""
    with suppress(OSError):
        return round(os.getloadavg()[0], 2)
    return None


@cache
def commit() -> str | None:
    """Asked once, before anything is measured: a commit may come before a suite has ended."""
    return commit_of(CHECKOUT)


def commit_of(checkout: Path) -> str | None:
    """None where there is no git."""
    short = git(checkout, "rev-parse", "--short", "HEAD")
    if not short:
        return None
    changed = git(checkout, "status", "--porcelain", "--", ".", *(f":(exclude){path}" for path in WRITTEN))
    return short if changed == "" else f"{short} with changes"


def git(checkout: Path, *arguments: str) -> str | None:
    """What it prints, None if it fails. Without optional locks it does not even refresh the index."""
    try:
        command = ["git", "--no-optional-locks", "-C", str(checkout), *arguments]
        answer = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:
        return None
    return None if answer.returncode else answer.stdout.strip()


@dataclass(slots=True)
class Figure:
    """One measured thing of one system."""

    system: str
    version: str
    name: str
    unit: str
    runs: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.runs)

    @property
    def more_is_better(self) -> bool:
        return self.unit in MORE


@dataclass(slots=True)
class Results:
    suite: str
    settings: dict[str, str] = field(default_factory=dict)
    figures: dict[Key, Figure] = field(default_factory=dict)
    report: str | None = None  # printed instead of the table of figures
    missed: list[str] = field(default_factory=list)  # bars that were not met: exit code 1
    failures: dict[str, str] = field(default_factory=dict)  # why a system has no figures, or not all of them
    load_before: float | None = field(default_factory=load_average)
    commit: str | None = field(default_factory=commit)

    def add(self, system: str, version: str, name: str, unit: str, value: float) -> None:
        figure = self.figures.setdefault((system, name), Figure(system, version, name, unit))
        figure.runs.append(value)

    def median(self, system: str, name: str) -> float:
        return self.figures[system, name].median

    def paired(self, ours: str, theirs: str, name: str) -> float:
        """The same figure of two systems."""
        return self.between((ours, name), (theirs, name))

    def between(self, ours: Key, theirs: Key) -> float:
        """The median of the ratios of neighbours in time: noise comes in waves.

        It is the ratio of the medians if one has more runs than the other, and infinite if theirs is 0.
        """
        above, below = self.figures[ours], self.figures[theirs]
        if len(above.runs) != len(below.runs):
            return _divided(above.median, below.median)
        return median(map(_divided, above.runs, below.runs))

    def ratio(self, figure: Figure) -> float | None:
        """Ours against theirs: above 1 means that ours is the larger number."""
        if (OURS, figure.name) not in self.figures:
            return None
        ratio = self.paired(OURS, figure.system, figure.name)
        return None if math.isinf(ratio) else ratio

    def best(self, name: str, among: Iterable[str]) -> str | None:
        """Of those that have the figure, the system that does best in it."""
        those = [system for system in among if (system, name) in self.figures]
        choose = max if self.figures[OURS, name].more_is_better else min
        return choose(those, key=lambda system: self.median(system, name), default=None)

    @property
    def runs(self) -> str:
        """How many runs the figures have: "3", or "3 to 5"."""
        counts = [len(figure.runs) for figure in self.figures.values() if figure.unit not in COMPUTED]
        return " to ".join(map(str, sorted({min(counts), max(counts)}))) if counts else "0"


def _divided(ours: float, theirs: float) -> float:
    return ours / theirs if theirs else math.inf


def as_table(results: Results) -> str:
    rows = [("figure", "system", "version", "median", "unit", "ours / theirs", "runs")]
    for figure in sorted(results.figures.values(), key=lambda f: (f.name, f.system != OURS, f.system)):
        ratio = results.ratio(figure)
        rows.append(
            (
                figure.name,
                figure.system,
                figure.version,
                number(figure.median),
                figure.unit,
                "" if ratio is None else number(ratio),
                " ".join(number(run) for run in figure.runs),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join([*(_line(row, widths) for row in rows), *failures_of(results)])


def failures_of(results: Results) -> list[str]:
    """A sentence on one line for each system that failed."""
    return [f"{system} failed: {' '.join(why.split())}" for system, why in results.failures.items()]


def as_json(results: Results) -> str:
    """`failures` is there only if there are any."""
    written = {
        "machine": machine() | {"load_before": results.load_before},
        "settings": results.settings,
        "results": [_row(results.suite, figure) for figure in results.figures.values()],
    }
    return json.dumps(written | ({"failures": results.failures} if results.failures else {}), indent=2)


def _row(suite: str, figure: Figure) -> dict[str, object]:
    return {
        "suite": suite,
        "system": figure.system,
        "version": figure.version,
        "figure": figure.name,
        "unit": figure.unit,
        "median": figure.median,
        "runs": figure.runs,
    }


def machine() -> dict[str, str | float | None]:
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "processor": processor(Path("/proc/cpuinfo")),
        "architecture": platform.machine(),
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def processor(listed: Path) -> str:
    """Its model, as Linux lists it, or what Python knows."""
    with suppress(OSError):
        for line in listed.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def from_json(text: str) -> Results:
    """What `as_json` wrote, without its machine."""
    saved = json.loads(text)
    results = Results(
        saved["results"][0]["suite"],
        saved["settings"],
        failures=saved.get("failures", {}),
        load_before=saved["machine"].get("load_before"),
        commit=saved["settings"].get("commit"),
    )
    for row in saved["results"]:
        for run in row["runs"]:
            results.add(row["system"], row["version"], row["figure"], row["unit"], run)
    return results


def number(value: float) -> str:
    """Whole from 10 on; below 1 two digits that tell something, so that little is not shown as nothing."""
    if abs(value) >= 10:
        return f"{value:,.0f}"
    if value == 0 or abs(value) >= 1:
        return f"{value:.2f}"
    return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
