"""flow --real: one scenario in real time, with its checks."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import takewhile

import asyncpg

from bench.flow.bars import Bar
from bench.flow.caller import MOST
from bench.flow.real_time import (
    BASE,
    BUDGET,
    PHASES,
    REPLICAS,
    SLOTS,
    TOKENS_PER_SECOND,
    Story,
    phase_at,
    tell,
)
from bench.flow.report import checklist
from bench.result import OURS, Results
from bench.server import fresh_database, server
from holdfast.db.migrate import migrate
from holdfast.testing.model_server.ledger import Call, Outcome

SECONDS = dict(PHASES)
SETTLED = 20.0  # seconds after which an open circuit has let the last of the first rush through


def real(results: Results) -> None:
    with server() as url, fresh_database(url, "bench_flow_real") as database:
        asyncio.run(_migrate(database))
        story = tell(database)
    found = list(_bars(story))
    for bar in found:
        results.add(OURS, "", bar.what, "", bar.value)
    results.report = f"\nJobs: {story.counts}; calls: {len(story.calls)}\n{checklist(found)}"
    results.missed = [bar.what for bar in found if not bar.is_met]


def _bars(story: Story) -> Iterator[Bar]:
    """Of the slots' time, or of the token budget; the phase after the outage with its recovery."""
    yield Bar("well: goodput, % of the slots", _of_slots(story.calls, "well"), 60.0, is_least=True)
    yield Bar("back: goodput, % of the slots", _of_slots(story.calls, "back"), 40.0, is_least=True)
    yield Bar("429: goodput, % of the budget", _of_budget(story.calls), 65.0, is_least=True)
    end = sum(SECONDS.values())
    yield Bar("last 30 s: goodput, % of the slots", _slots(story.calls, end - 30, end), 50.0, is_least=True)
    yield Bar("429: calls answered with 429, %", _limited(story.calls), 40.0, is_least=False)
    yield Bar("outage: calls after the first 20 s", _calls_in_outage(story.calls), 15.0, is_least=False)
    opened = sum(look.circuit != "closed" for look in story.looks if phase_at(look.at) == "outage")
    yield Bar("outage: seconds with the circuit not closed", opened, 30.0, is_least=True)
    yield Bar("calls at once", max(call.in_flight for call in story.calls), MOST, is_least=False)
    yield Bar("dead jobs", story.counts.get("dead", 0), 0.0, is_least=False)
    yield Bar("completed jobs", story.counts.get("completed", 0), 100.0, is_least=True)


def _of_slots(calls: Sequence[Call], phase: str) -> float:
    return _slots(calls, *_times(phase))


def _slots(calls: Sequence[Call], begin: float, end: float) -> float:
    done = sum(BASE + call.tokens_out / TOKENS_PER_SECOND for call in _answered(calls, begin, end))
    return 100.0 * done / (REPLICAS * SLOTS * (end - begin))


def _of_budget(calls: Sequence[Call]) -> float:
    begin, end = _times("429")
    used = sum(call.tokens_in + call.tokens_out for call in _answered(calls, begin, end))
    return 100.0 * used / (BUDGET / 60.0 * (end - begin))


def _limited(calls: Sequence[Call]) -> float:
    began = [call for call in calls if phase_at(call.start.total_seconds()) == "429"]
    return 100.0 * sum(call.outcome is Outcome.RATE_LIMITED for call in began) / max(1, len(began))


def _calls_in_outage(calls: Sequence[Call]) -> int:
    begin, end = _times("outage")
    return sum(begin + SETTLED <= call.start.total_seconds() < end for call in calls)


def _answered(calls: Sequence[Call], begin: float, end: float) -> list[Call]:
    """Those that ended in this time."""
    good = [call for call in calls if call.outcome is Outcome.ANSWERED and call.end is not None]
    return [call for call in good if call.end and begin <= call.end.total_seconds() < end]


def _times(phase: str) -> tuple[float, float]:
    begin = sum(SECONDS[name] for name in takewhile(lambda name: name != phase, SECONDS))
    return begin, begin + SECONDS[phase]


async def _migrate(url: str) -> None:
    conn = await asyncpg.connect(url)
    try:
        await migrate(conn)
    finally:
        await conn.close()
