"""What a run of chaos is told at its end."""

from collections.abc import Iterator

from holdfast.cli.chaos.recovery import summary
from holdfast.cli.chaos.tally import PROMISED, Tally
from holdfast.cli.render import table_lines

MOST_TOLD = 20
WIDE = 200
# Below these a long run has not tried hard enough to say much: workers that died, others that were hit.
MINIMUMS = {"kill-worker": 200, "kill-database": 20, "partition": 50}


def lines_of(tally: Tally) -> Iterator[str]:
    """The last line is the sum."""
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
    if tally.missed:
        yield f"not done: {', '.join(f'{name} {count}' for name, count in sorted(tally.missed.items()))}"
    yield from _promise(tally)
    for complaint in tally.complaints[:MOST_TOLD]:
        yield f"wrong: {complaint}"
    yield (
        f"chaos: {_seeds(tally)}, {counts['accepted']} accepted, {tally.lost} lost,"
        f" {tally.duplicated} duplicated, {tally.wrong} wrong, {tally.late} late"
    )


def minimums(tally: Tally) -> str:
    told = ", ".join(
        f"{name} {count} of {least} ({'met' if count >= least else 'not met'})"
        for name, count, least in _asked(tally)
    )
    return f"asked of a long run: {told}"


def lacks(tally: Tally) -> list[str]:
    """Why a long run has proved too little."""
    return [
        f"{name} harmed {count} times, and a long run is asked for {least}"
        for name, count, least in _asked(tally)
        if count < least
    ]


def _asked(tally: Tally) -> Iterator[tuple[str, int, int]]:
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
    for line in table_lines(titles, rows, ("fault",), WIDE):
        yield line.plain.rstrip()


def _seconds(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.2f} s"


def _promise(tally: Tally) -> Iterator[str]:
    if tally.of_dead_workers:
        found = summary(tally.of_dead_workers)
        yield (
            f"jobs of {len(tally.of_dead_workers)} dead workers were available again within {found.p50:.2f} s"
            f" (p50), {found.p95:.2f} s (p95), {found.max:.2f} s (max); promised are {PROMISED:g} s"
        )


def _seeds(tally: Tally) -> str:
    return f"seed {tally.seeds[0]}" if len(tally.seeds) == 1 else f"{len(tally.seeds)} seeds"
