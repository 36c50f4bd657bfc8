"""One scenario in real time: three worker processes, a model server over HTTP, an outage and a 429 phase."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

import asyncpg

from bench.flow.caller import make_app
from holdfast.testing.model_server.ledger import Call
from holdfast.testing.model_server.server import ModelServer

PROCESSES = 3
SLOTS, REPLICAS = 4, 2
BASE, TOKENS_PER_SECOND = 0.5, 200.0
BUDGET = 66_000  # tokens per minute: about half of what the slots can do
JOBS = 2500
PHASES = (("well", 45.0), ("outage", 60.0), ("back", 45.0), ("429", 60.0), ("last", 100.0))
LOOK = """
select "limit", in_flight, circuit, rate from holdfast.endpoints where name = 'model'
"""
COUNTS = "select state, count(*) as n from holdfast.job_view group by state"


@dataclass(frozen=True, slots=True)
class Look:
    """The endpoint at a time, in seconds since the server's start."""

    at: float
    limit: float
    in_flight: int
    circuit: str
    rate: float | None


@dataclass(frozen=True, slots=True)
class Story:
    looks: Sequence[Look]
    calls: Sequence[Call]
    counts: dict[str, int]


def tell(url: str) -> Story:
    """Runs it; `url` is a migrated database that has no other user."""
    return asyncio.run(_tell(url))


async def _tell(url: str) -> Story:
    changes: list[dict[str, object]] = [
        {},
        {"outage": "unavailable"},
        {"outage": "none"},
        {"tokens_per_minute": BUDGET},
        {"tokens_per_minute": None},
    ]
    begins = [sum(seconds for _, seconds in PHASES[:index]) for index in range(len(PHASES))]
    # In a thread: it must answer while this process asks the database.
    server = ModelServer.in_thread(
        replicas=REPLICAS,
        slots=SLOTS,
        memory=2 * SLOTS,
        base=BASE,
        tokens_per_second=TOKENS_PER_SECOND,
        burst="10s",
        noise=0.02,
        seed=1,
        phases=list(zip(begins, changes, strict=True)),
    )
    await _fill(url)
    with server, _workers(url, server.url):
        looks = await _watch(url, time.monotonic())
        calls = server.ledger.calls
    return Story(looks, calls, await _counts(url))


async def _fill(url: str) -> None:
    """Questions whose echo takes some hundred tokens."""
    random = Random(1)
    async with make_app("", url) as app:
        await app.declare()
        ask = app.tasks["ask"]
        await ask.enqueue_many([ask.call("words " * random.randint(60, 270)) for _ in range(JOBS)])


async def _watch(url: str, begin: float) -> list[Look]:
    """Once a second until the last phase is over, and a line every five."""
    looks, end = list[Look](), sum(seconds for _, seconds in PHASES)
    conn = await asyncpg.connect(url)
    while (now := time.monotonic() - begin) < end:
        row = await conn.fetchrow(LOOK)
        if row is not None:
            look = Look(now, row["limit"], row["in_flight"], row["circuit"], row["rate"])
            looks.append(look)
            if len(looks) % 5 == 1:
                print(_line(look), flush=True)
        await asyncio.sleep(1.0 - (time.monotonic() - begin) % 1.0)
    await conn.close()
    return looks


def _line(look: Look) -> str:
    rate = "" if look.rate is None else f", {look.rate:.0f} units/s"
    return (
        f"{look.at:4.0f} s {phase_at(look.at):6} limit {look.limit:4.1f} {'▪' * look.in_flight:32}"
        f" {look.circuit}{rate}"
    )


def phase_at(at: float) -> str:
    for name, seconds in PHASES:
        if at < seconds:
            return name
        at -= seconds
    return "over"


async def _counts(url: str) -> dict[str, int]:
    conn = await asyncpg.connect(url)
    counts = {row["state"]: row["n"] for row in await conn.fetch(COUNTS)}
    await conn.close()
    return counts


@contextmanager
def _workers(url: str, server: str) -> Iterator[None]:
    """None outlives the block."""
    environment = {**os.environ, "HOLDFAST_DATABASE_URL": url}
    command = [sys.executable, "-m", "bench.flow.caller", server]
    started = [subprocess.Popen(command, env=environment) for _ in range(PROCESSES)]
    try:
        yield
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()
