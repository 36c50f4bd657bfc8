"""docs/benchmarks.md: the latest saved figures of each suite, with their machine and their bars."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from bench.bars import bars_of
from bench.result import OURS, Results, as_json, from_json, number
from bench.system import HERE

SAVED = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
ABOUT = {
    "peers": "Ours and the others on the same server in the same run; in brackets ours divided by theirs.",
    "limit": "What there is to be had at most: our own statement without handlers, a loop without features.",
    "depth": "A job's price beside a million ready or ten million ended ones.",
    "held": "Produce and consume while a snapshot is held: the first and the last ten seconds.",
    "mixed": "What the features cost, each alone and all together.",
    "load": "Claim size × depth × workers, with a worker killed and statistics read meanwhile.",
    "calls": "500 concurrent calls of two seconds in one worker process.",
}
HEAD = """# Benchmarks

Written by `./dev bench --write-docs`, not by hand. Only ratios within one run count: the same machine gives
figures that differ by up to two times from one hour to the next. All systems run on the same server with
`fsync` and `synchronous_commit` on, each at its best sensible setting (`bench/peers/`), and a drain counts
until the database has recorded the last end. `./dev bench SUITE --write-docs` measures a suite again.
"""
NOTHING = "\nNothing has been measured yet.\n"


def save(results: Results) -> None:
    results.settings["date"] = datetime.now(UTC).date().isoformat()
    SAVED.mkdir(exist_ok=True)
    (SAVED / f"{results.suite}.json").write_text(as_json(results) + "\n", encoding="utf-8")


def write_page() -> None:
    PAGE.write_text(page(saved()), encoding="utf-8")


def saved() -> dict[str, str]:
    """The saved results by suite, in the order of the page."""
    paths = [SAVED / f"{suite}.json" for suite in ABOUT]
    return {path.stem: path.read_text(encoding="utf-8") for path in paths if path.exists()}


def page(texts: dict[str, str]) -> str:
    return HEAD + "".join(_section(suite, text) for suite, text in texts.items()) if texts else HEAD + NOTHING


def _section(suite: str, text: str) -> str:
    results = from_json(text)
    machine = json.loads(text)["machine"]
    lines = [f"\n## {suite}\n", f"{ABOUT[suite]}\n", f"{_facts(machine)}; {_facts(results.settings)}\n"]
    lines += _matrix(results) if len({system for system, _ in results.figures}) > 1 else _list(results)
    if bars := bars_of(results):
        lines += ["", "| bar | |", "|---|---|"]
        lines += [f"| {bar} | {'met' if bar.is_met else '**missed**'} |" for bar in bars]
    return "\n".join(lines) + "\n"


def _facts(of: dict[str, str]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in of.items())


def _matrix(results: Results) -> Iterator[str]:
    """A row for each figure, a column for each system, ours first."""
    systems = list(dict.fromkeys(system for system, _ in results.figures))
    systems.sort(key=lambda system: system != OURS)
    versions = {figure.system: figure.version for figure in results.figures.values()}
    yield "| figure | " + " | ".join(f"{system} {versions[system]}".rstrip() for system in systems) + " |"
    yield "|---|" + "---:|" * len(systems)
    for name in dict.fromkeys(name for _, name in results.figures):
        units = {figure.unit for (_, of), figure in results.figures.items() if of == name}
        cells = (_cell(results, system, name) for system in systems)
        yield f"| {name}, {units.pop()} | " + " | ".join(cells) + " |"


def _cell(results: Results, system: str, name: str) -> str:
    figure = results.figures.get((system, name))
    if figure is None:
        return ""
    ratio = None if system == OURS else results.ratio(figure)
    return number(figure.median) + ("" if ratio is None else f" ({ratio:.2f})")


def _list(results: Results) -> Iterator[str]:
    yield "| figure | unit | median | runs |"
    yield "|---|---|---:|---|"
    for figure in results.figures.values():
        runs = ", ".join(map(number, figure.runs))
        yield f"| {figure.name} | {figure.unit} | {number(figure.median)} | {runs} |"
