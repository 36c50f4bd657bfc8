"""What a job without an endpoint pays: alone, beside fifty busy endpoints, and with flow control cut out."""

import asyncio
import re
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.metadata import version
from itertools import cycle
from statistics import median
from typing import Any

import asyncpg

from bench.result import OURS, Results
from bench.server import fresh_database
from bench.turns import Drain
from holdfast.db.connect import Connection
from holdfast.db.migrate import migrate

VERSION = version("holdfast-queue")
ENDPOINTS = 50
TURNS = 200
EXPLAINED = 30
UNITS = ("us", "buffers", "wal_bytes")
# What the claim and the end do for lanes with endpoints and limits, as it stands in their text.
PARTS = {
    "settle_and_claim": (r"if visited\.endpoint = ''.*?then(.*?)else.*?end if;", r"\1"),
    "end_alone": (r"if gone\.permits is not null then.*?\n  end if;", ""),
}
TEXT = """
select pg_get_functiondef(oid) from pg_proc
where proname = $1 and pronamespace = 'holdfast'::regnamespace
"""


def beside(results: Results, url: str) -> None:
    """One round, turn by turn in three databases, so that a noisy moment strikes all."""
    with ExitStack() as stack:
        asyncio.run(
            _round(
                results,
                {
                    kind: stack.enter_context(fresh_database(url, f"bench_{kind}"))
                    for kind in ("alone", "beside", "cut_out")
                },
            )
        )


async def _round(results: Results, urls: Mapping[str, str]) -> None:
    connections = {kind: await asyncpg.connect(url) for kind, url in urls.items()}
    drains = {kind: await _plain(connection) for kind, connection in connections.items()}
    others = cycle(await _busy_endpoints(connections["beside"]))
    await cut_out(connections["cut_out"])
    for size in (1, 10):
        seconds: dict[str, list[float]] = {kind: [] for kind in drains}
        costs: dict[str, list[tuple[float, float]]] = {kind: [] for kind in drains}
        for turn in range(TURNS + EXPLAINED):
            await next(others).turn(1)
            for kind, drain in drains.items():
                if turn == 0:
                    await drain.turn(size)
                elif turn < TURNS:
                    seconds[kind].append(await drain.turn(size))
                else:
                    costs[kind].append(await drain.explained(size))
        for kind in drains:
            _add(results, kind, size, seconds[kind], costs[kind])
    for connection in connections.values():
        await connection.close()


def _add(
    results: Results, kind: str, size: int, seconds: list[float], costs: list[tuple[float, float]]
) -> None:
    values = (1e6 * median(seconds), median(cost[0] for cost in costs), median(cost[1] for cost in costs))
    for unit, value in zip(UNITS, values, strict=True):
        results.add(OURS, VERSION, f"{kind}_{size}_{unit}", f"{unit}/job", value / size)


async def _plain(connection: "asyncpg.Connection[Any]") -> Drain:
    await migrate(connection)
    await connection.execute("select holdfast.make_partitions()")
    drain = Drain(connection, "plain")
    await drain.prepare({}, jobs=(TURNS + EXPLAINED + 5) * 11)
    return drain


async def _busy_endpoints(connection: "asyncpg.Connection[Any]") -> list[Drain]:
    """Each with a queue of its own, a call that runs and many that wait."""
    drains = []
    for number in range(ENDPOINTS):
        name = f"model-{number}"
        await connection.execute("select holdfast.declare_endpoint($1)", name)
        drains.append(Drain(connection, name))
        await drains[-1].prepare({"endpoint": name}, jobs=50)
        await drains[-1].turn(1)
    return drains


async def cut_out(connection: Connection) -> None:
    """The same functions without what they do for endpoints and limits."""
    for name, (part, instead) in PARTS.items():
        text, count = re.subn(part, instead, await connection.fetchval(TEXT, name), flags=re.DOTALL)
        if count != 1:
            raise RuntimeError(f"{name} has changed: PARTS in bench/suites/beside.py must follow")
        await connection.execute(text)
