"""One connection to a database with a fake clock, without `await`: the state machine is not async."""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
from asyncpg import Record
from hypothesis import note

from holdfast.testing.clock import install_fake_clock
from tests.machine.invariants import violations
from tests.machine.parts import QUEUES, Queue
from tests.machine.world import World, read_world

T = TypeVar("T")
TABLES = """
  jobs history payloads stage_outputs attempts checkpoints progress unique_keys order_keys order_releases
  runs run_deltas workers left_worker_counts dead_letters events waits signals calls end_counts end_totals
  replayed_ends schedules rules rule_sets
"""
# Deletes take a tenth of the time that a truncate takes on tables of a few rows.
EMPTY = "; ".join(f"delete from holdfast.{name}" for name in TABLES.split())


class Session:
    def __init__(self, runner: asyncio.Runner, url: str) -> None:
        self._runner = runner
        self._conn: asyncpg.Connection[Record] = runner.run(asyncpg.connect(url))
        self._clock = runner.run(install_fake_clock(self._conn))
        for name, queue in QUEUES.items():
            self.fetch("select holdfast.declare_queue($1, $2::jsonb)", name, json.dumps(policy_of(queue)))

    def start_over(self, at: datetime) -> None:
        """The seed makes the order of lanes the same when a failing schedule is run again."""
        self._runner.run(self._conn.execute(EMPTY))
        self.fetch("delete from holdfast.chores where name = 'prune'")  # how far it came, in another time
        self.fetch("update holdfast.queues set paused_at = null, paused_reason = null")
        self.fetch("update holdfast.tasks set has_rules = false where has_rules")
        self.fetch("select setseed(0.5)")
        self.set_clock(at)

    def set_clock(self, at: datetime) -> None:
        self._runner.run(self._clock.set(at))

    def verb(self, call: str, *args: object) -> list[Record]:
        """Calls a verb and writes it down: a failing schedule is printed with these notes."""
        try:
            rows = self.fetch(f"select * from holdfast.{call}", *args)
        except asyncpg.PostgresError as error:
            note(f"{call} {args} raised {error.sqlstate}")
            raise
        note(f"{call} {args} -> {[tuple(row.values())[:4] for row in rows]}")
        return rows

    def fetch(self, sql: str, *args: object) -> list[Record]:
        return self._runner.run(self._conn.fetch(sql, *args))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def value(self, sql: str, *args: object) -> Any:
        rows = self.fetch(sql, *args)
        return rows[0][0] if rows else None

    def world(self) -> World:
        return self._runner.run(read_world(self._conn))

    def violations(self) -> list[tuple[str, str]]:
        return self._runner.run(violations(self._conn))

    def close(self) -> None:
        self._runner.run(self._conn.close())


def policy_of(queue: Queue) -> dict[str, object]:
    return {
        "retry": {"delays": list(queue.delays)},
        "max_losses": queue.max_losses,
        "rescue_delay": queue.rescue_delay.total_seconds(),
        "max_wait": queue.max_wait.total_seconds(),
        "cancel_grace": queue.cancel_grace.total_seconds(),
        "timeout": queue.timeout.total_seconds() if queue.timeout else None,
        "ageing": queue.ageing,
        "detail": queue.detail,
    }


def ids_of(rows: Sequence[Record]) -> list[UUID]:
    return [row[0] for row in rows]
