"""The lines that a run prints at its end."""

from collections.abc import Iterator

from chaos.output import table
from chaos.recovery import summary
from chaos.run_figures import PROMISED, Tally

MOST_SHOWN = 20
# A long run with fewer injections proves too little: workers that died, faults that hit.
MINIMUMS = {"kill-worker": 200, "kill-database": 20, "partition": 50}


def lines_of(tally: Tally) -> Iterator[str]:
    """The last line is the summary."""
    counts = tally.counts
    yield from _faults(tally)
    yield (
        f"losses {counts['losses']}, failures {counts['failures']}, deferrals {counts['deferrals']},"
        f" released {counts['released']}, fenced {counts['fenced']}, stopped {counts['stopped']},"
        f" dead {counts['dead']}"
    )
    yield (
        f"enqueues disturbed {counts['disturbed']},"
        f" refused {counts['refused']}, indeterminate {counts['indeterminate']}"
    )
    if tally.not_injected:
        counted = (f"{name} {count}" for name, count in sorted(tally.not_injected.items()))
        yield f"not injected: {', '.join(counted)}"
    yield from _promise(tally)
    for complaint in tally.complaints[:MOST_SHOWN]:
        yield f"wrong: {complaint}"
    yield (
        f"chaos: {_seeds(tally)}, {counts['accepted']} accepted, {tally.lost} lost,"
        f" {tally.duplicated} duplicated, {tally.wrong} wrong, {tally.late} late"
    )


def minimums(tally: Tally) -> str:
    required = ", ".join(
        f"{name} {count} of {least} ({'met' if count >= least else 'not met'})"
        for name, count, least in _required(tally)
    )
    return f"required of a long run: {required}"


def shortfalls(tally: Tally) -> list[str]:
    """Why a long run proves too little."""
    return [
        f"{name} had an effect {count} times, and a long run needs {least}"
        for name, count, least in _required(tally)
        if count < least
    ]


def _required(tally: Tally) -> Iterator[tuple[str, int, int]]:
    for name, least in MINIMUMS.items():
        if name in tally.faults:
            yield name, (tally.deaths if name == "kill-worker" else tally.hit)[name], least


def _faults(tally: Tally) -> Iterator[str]:
    places = {name: summary(times) for name, times in tally.times.items()}
    rows = []
    for name in tally.faults:
        found = places.get(name)
        times = ("", "", "") if found is None else (found.p50, found.p95, found.max)
        rows.append((name, tally.fired[name], tally.hit[name], *map(_seconds, times)))
    titles = ("fault", "fired", "hit", "recovery p50", "p95", "max")
    yield from table(titles, rows)


def _seconds(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2f} s"


def _promise(tally: Tally) -> Iterator[str]:
    if tally.of_dead_workers:
        found = summary(tally.of_dead_workers)
        yield (
            f"jobs of {len(tally.of_dead_workers)} dead workers were available again within {found.p50:.2f} s"
            f" (p50), {found.p95:.2f} s (p95), {found.max:.2f} s (max); the promise is {PROMISED:g} s"
        )


def _seeds(tally: Tally) -> str:
    return f"seed {tally.seeds[0]}" if len(tally.seeds) == 1 else f"{len(tally.seeds)} seeds"
