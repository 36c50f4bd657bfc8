"""docs/benchmarks.md: the latest saved figures of each suite, with their machine and their bars."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from bench.bars import bars_of
from bench.result import OURS, Figure, Results, as_json, failures_of, from_json, number
from bench.system import HERE

SAVED = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
ABOUT = {
    "peers": "Ours and the others in the same run, in turn.",
    "limit": "What there is to be had at most: our own statement without handlers, a loop without features.",
    "depth": "A job's price beside a million ready or ten million ended ones.",
    "held": "Produce and consume while a snapshot is held: the first and the last ten seconds.",
    "mixed": "What the features cost, each alone and all together.",
    "load": "Claim size × depth × workers, with a worker killed and statistics read meanwhile.",
    "calls": "500 concurrent calls of two seconds in one worker process.",
}
# What gets done, and how much of a ceiling: more is better. All else is a price, also statements per second.
MORE = {"jobs/s", "calls/s", "share"}
HEAD = """# Benchmarks

Written by `./dev bench --write-docs`, not by hand; `./dev bench SUITE --write-docs` measures a suite again.
Only ratios within one run count: the same machine gives figures that differ by up to two times from one hour
to the next.

- Each system runs at its best sensible setting (`bench/peers/`). Those on PostgreSQL share one server with
  `fsync` and `synchronous_commit` on: what they confirm is on the disk. One commit of ours need not wait
  for it, that of a claim that ends nothing:
  [0013](decisions/0013-a-claim-alone-need-not-wait-for-the-disk.md). Redis syncs once a second
  (`appendfsync everysec`), SQLite as its own default has it.
- A drain counts until the store has recorded the last end. A pick-up counts from before the enqueue to the
  handler's first line. A bulk includes making its calls.
- A figure is the median of its runs; ↑ means that more is better, ↓ that less is. In brackets beside ours:
  the least to the most of its runs. In brackets beside another's: ours divided by theirs, as the median of
  the ratios of neighbours in time, round by round; where one has more runs, the ratio of the medians.
- Why some bars are missed, and what was tried: [0019](decisions/0019-what-limits-the-figures.md).
"""
NOTHING = "Not measured yet."


def save(results: Results) -> None:
    """A run without a single figure leaves what was saved before."""
    if not results.figures:
        return
    results.settings["runs"] = results.runs
    if results.commit:
        results.settings["commit"] = results.commit
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
    return HEAD + "".join(_section(suite, texts.get(suite)) for suite in ABOUT)


def _section(suite: str, text: str | None) -> str:
    lines = [f"\n## {suite}\n", f"{ABOUT[suite]}\n", *([NOTHING] if text is None else _measured(text))]
    return "\n".join(lines) + "\n"


def _measured(text: str) -> Iterator[str]:
    results = from_json(text)
    yield f"{_facts(json.loads(text)['machine'])}; {_facts(results.settings)}\n"
    yield from _matrix(results) if len({system for system, _ in results.figures}) > 1 else _list(results)
    for failure in failures_of(results):
        yield f"\n{failure}"
    if bars := bars_of(results):
        yield "\n| bar | |\n|---|---|"
        yield from (f"| {bar} | {'met' if bar.is_met else '**missed**'} |" for bar in bars)


def _facts(of: Mapping[str, str | float | None]) -> str:
    known = ((name, value) for name, value in of.items() if value is not None)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known)


def _matrix(results: Results) -> Iterator[str]:
    """A row for each figure, a column for each system, ours first."""
    systems = list(dict.fromkeys(system for system, _ in results.figures))
    systems.sort(key=lambda system: system != OURS)
    versions = {figure.system: figure.version for figure in results.figures.values()}
    yield "| figure | " + " | ".join(f"{system} {versions[system]}".rstrip() for system in systems) + " |"
    yield "|---|" + "---:|" * len(systems)
    for name in dict.fromkeys(name for _, name in results.figures):
        unit = next(figure.unit for (_, of), figure in results.figures.items() if of == name)
        cells = (_cell(results, system, name) for system in systems)
        yield f"| {name}, {unit} {'↑' if unit in MORE else '↓'} | " + " | ".join(cells) + " |"


def _cell(results: Results, system: str, name: str) -> str:
    figure = results.figures.get((system, name))
    if figure is None:
        return ""
    beside = _spread(figure) if system == OURS else _ratio(results, figure)
    return number(figure.median) + (f" ({beside})" if beside else "")


def _spread(figure: Figure) -> str:
    least, most = number(min(figure.runs)), number(max(figure.runs))
    return "" if least == most else f"{least} to {most}"


def _ratio(results: Results, figure: Figure) -> str:
    ratio = results.ratio(figure)
    return "" if ratio is None else number(ratio)


def _list(results: Results) -> Iterator[str]:
    yield "| figure | unit | median | runs |"
    yield "|---|---|---:|---|"
    for figure in results.figures.values():
        runs = ", ".join(map(number, figure.runs))
        yield f"| {figure.name} | {figure.unit} | {number(figure.median)} | {runs} |"
