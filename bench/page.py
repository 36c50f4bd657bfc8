"""docs/benchmarks.md: the latest saved figures of each suite, with their machine and their bars."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.bars import bars_of
from bench.bars.bar import Bar
from bench.result import OURS, Figure, Results, as_json, failures_of, from_json, number
from bench.summary import SUMMARIES, Choose, Summary
from bench.system import HERE

SAVED = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
ABOUT = {
    "peers": "Holdfast and the other systems in the same run, taking turns.",
    "limit": "Upper bounds: our own statements without handlers, and a bare loop without features.",
    "depth": "The cost of a job with a million ready or ten million ended jobs in the tables.",
    "held": "Produce and consume while another session holds a snapshot: the first and the last ten seconds.",
    "mixed": "The cost of each feature alone and of all together; bulk enqueues beside peers that have it.",
    "permit": "What an endpoint costs a job, and what the endpoints of other jobs cost one that has none.",
    "pipeline": "What a stage change costs: plain jobs, and steps of jobs with three stages.",
    "load": "Claim size × depth × workers, while a worker is killed and statistics are read.",
    "api": "The same work over HTTP and in SQL; what 500 long polls of one server cost.",
    "dashboard": "Each page of an installation with 200 queues and 500 workers; 1 and 50 watching browsers.",
    "calls": "500 concurrent calls of two seconds in one worker process.",
}
HEAD = """# Benchmarks

`./dev bench --write-docs` writes this page; `./dev bench SUITE --write-docs` measures a suite again.
Compare only figures of one run: on the same machine, figures differ by up to a factor of two from one hour
to the next.

- Each system runs with its best sensible settings (`bench/peers/`). The systems on PostgreSQL share one
  server with `fsync` and `synchronous_commit` on, so that confirmed work is on disk. One commit of ours
  does not wait for the disk: that of a claim without an end, see
  [0013](decisions/0013-a-claim-alone-need-not-wait-for-the-disk.md). Redis syncs once a second
  (`appendfsync everysec`), SQLite by its default.
- A drain ends when the store has recorded the last end. A pick-up is the time from before the enqueue to
  the first line of the handler. A bulk enqueue includes creating the calls.
- Each figure is the median of its runs, in brackets the lowest and the highest of ours; ↑ means more is
  better, ↓ less is better. The best peer is chosen figure by figure.
- A ratio is our figure divided by the one on its left: the median of the ratios of consecutive runs; if one
  system has more runs, the ratio of the medians.
- A bar is the least, or the most, that we accept. Why we miss some, and what we tried:
  [0019](decisions/0019-what-limits-the-figures.md).
- The tables are summaries. Below each is a link to all figures of the suite: every system, every run.
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
    yield from _table(results, SUMMARIES[results.suite])
    for bar in bars_of(results):
        if bar.value is None:
            yield f"\n{_bar(bar, [])}"
    for failure in failures_of(results):
        yield f"\n{failure}"
    machine = _facts(json.loads(text)["machine"])
    yield f"\nMeasured with {machine}; {_facts(results.settings)}; {_versions(results)}."
    yield f"All figures, with each run: [{results.suite}.json](../bench/results/{results.suite}.json)."


def _facts(of: Mapping[str, str | float | None]) -> str:
    known = ((name, value) for name, value in of.items() if value is not None)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known)


def _versions(results: Results) -> str:
    versions = {figure.system: figure.version for figure in results.figures.values()}
    return ", ".join(f"{system} {version}".rstrip() for system, version in versions.items())


def _table(results: Results, summary: Summary) -> Iterator[str]:
    """A row for each figure of ours; a column for what none of them has is left out."""
    figures = summary.figures(results)
    columns = {
        heading: choose
        for heading, choose in summary.columns.items()
        if any(choose(results, figure.name) for figure in figures)
    }
    bars = bars_of(results)
    headings = ["figure", OURS, *(cell for heading in columns for cell in (heading, "ratio"))]
    headings += ["bar"] if bars else []
    yield f"| {' | '.join(headings)} |"
    yield "|---|" + "---:|" * (1 + 2 * len(columns)) + ("---|" if bars else "")
    for figure in figures:
        compared = [_compared(results, figure, heading, choose) for heading, choose in columns.items()]
        own = [_bar(bar, compared) for bar in bars if bar.figure == figure.name]
        cells = [_name(figure), _ours(figure), *(cell for each in compared for cell in each.cells)]
        yield f"| {' | '.join([*cells, *(['; '.join(own)] if bars else [])])} |"


def _name(figure: Figure) -> str:
    return f"{figure.name}, {figure.unit} {'↑' if figure.more_is_better else '↓'}"


def _ours(figure: Figure) -> str:
    """With the spread of its runs, if they differ in what is shown."""
    least, most = number(min(figure.runs)), number(max(figure.runs))
    return number(figure.median) + ("" if least == most else f" ({least} to {most})")


@dataclass(frozen=True, slots=True)
class _Compared:
    """What stands beside a figure of ours, and ours divided by it."""

    shown: str = ""
    ratio: float | None = None

    @property
    def cells(self) -> tuple[str, str]:
        return self.shown, "" if self.ratio is None or math.isinf(self.ratio) else number(self.ratio)


def _compared(results: Results, figure: Figure, heading: str, choose: Choose) -> _Compared:
    key = choose(results, figure.name)
    if key is None:
        return _Compared()
    name = "" if key[0] in (OURS, heading) else f"{key[0]} "
    return _Compared(name + number(results.median(*key)), results.between((OURS, figure.name), key))


def _bar(bar: Bar, compared: list[_Compared]) -> str:
    """Says what it is about, unless that is the first ratio of the row or our figure itself."""
    if bar.value is None:
        return str(bar)
    verdict = "met" if bar.is_met else "**missed**"
    if not bar.to:
        return f"figure {bar.wanted}: {verdict}"
    if bar.value == next((one.ratio for one in compared if one.ratio is not None), None):
        return f"ratio {bar.wanted}: {verdict}"
    return f"{number(bar.value)} to {bar.to}, wanted {bar.wanted}: {verdict}"
