"""Figures of a suite: every run is kept, the median counts, and each is shown as a ratio to ours."""

import json
import os
import platform
from dataclasses import dataclass, field
from statistics import median

OURS = "holdfast"


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


@dataclass(slots=True)
class Results:
    suite: str
    settings: dict[str, str] = field(default_factory=dict)
    figures: dict[tuple[str, str], Figure] = field(default_factory=dict)
    report: str | None = None  # printed instead of the table of figures
    missed: list[str] = field(default_factory=list)  # bars that were not met: exit code 1

    def add(self, system: str, version: str, name: str, unit: str, value: float) -> None:
        figure = self.figures.setdefault((system, name), Figure(system, version, name, unit))
        figure.runs.append(value)

    def median(self, system: str, name: str) -> float:
        return self.figures[system, name].median

    def ratio(self, figure: Figure) -> float | None:
        """Ours against theirs: above 1 means that ours is the larger number."""
        ours = self.figures.get((OURS, figure.name))
        return None if ours is None or figure.median == 0 else ours.median / figure.median


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
                "" if ratio is None else f"{ratio:.2f}",
                " ".join(number(run) for run in figure.runs),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(_line(row, widths) for row in rows)


def as_json(results: Results) -> str:
    return json.dumps(
        {
            "machine": machine(),
            "settings": results.settings,
            "results": [
                {
                    "suite": results.suite,
                    "system": figure.system,
                    "version": figure.version,
                    "figure": figure.name,
                    "unit": figure.unit,
                    "median": figure.median,
                    "runs": figure.runs,
                }
                for figure in results.figures.values()
            ],
        },
        indent=2,
    )


def machine() -> dict[str, str | int | None]:
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": platform.system(),
        "processor": platform.machine(),
        "python": platform.python_version(),
    }


def from_json(text: str) -> Results:
    """What `as_json` wrote, without its machine."""
    saved = json.loads(text)
    results = Results(saved["results"][0]["suite"], saved["settings"])
    for row in saved["results"]:
        for run in row["runs"]:
            results.add(row["system"], row["version"], row["figure"], row["unit"], run)
    return results


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2f}"


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
