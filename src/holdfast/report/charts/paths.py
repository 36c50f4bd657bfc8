"""The paths of lines and areas, in units of slices across and of the axis upwards."""

from collections.abc import Sequence

Point = tuple[float, float]


def line_path(values: Sequence[float | None], top: float, height: float) -> str:
    """Through the middle of each slice, level at both ends; a value that is not known is a gap."""
    written: list[str] = []
    for run in _runs(values):
        points = _points(run, top, height)
        written.append("M" + " L".join(f"{x:g} {y:.2f}" for x, y in points))
    return " ".join(written)


def step_path(values: Sequence[float | None], top: float, height: float) -> str:
    """Level within each slice, upright between them: for what is set, such as a limit."""
    written: list[str] = []
    for run in _runs(values):
        levels = [(number, height - height * value / top) for number, value in run]
        written.append(f"M{levels[0][0]:g} {levels[0][1]:.2f}")
        written += [f"V{y:.2f} H{number + 1:g}" for number, y in levels]
    return " ".join(written)


def area_path(upper: Sequence[float | None], lower: Sequence[float], top: float, height: float) -> str:
    """Between two lines; a gap where the upper one is not known."""
    written: list[str] = []
    for run in _runs(upper):
        above = _points(run, top, height)
        below = _points([(number, lower[number]) for number, _ in run], top, height)
        written.append("M" + " L".join(f"{x:g} {y:.2f}" for x, y in [*above, *reversed(below)]) + " Z")
    return " ".join(written)


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    runs: list[list[tuple[int, float]]] = [[]]
    for number, value in enumerate(values):
        if value is not None:
            runs[-1].append((number, value))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _points(run: list[tuple[int, float]], top: float, height: float) -> list[Point]:
    """Each value has the width of its slice: the first and the last reach the slice's edges."""
    places = [(number + 0.5, height - height * value / top) for number, value in run]
    first, last = places[0], places[-1]
    return [(first[0] - 0.5, first[1]), *places, (last[0] + 0.5, last[1])]
