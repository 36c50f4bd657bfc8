"""An endpoint in the database and its model, driven by the same events and compared after each."""

import json
import math
import random
from dataclasses import fields, replace
from typing import Any

from holdfast.db.connect import Connection
from tests.flow import model
from tests.flow.endpoint import Call, Endpoint, Mode, state

START = 1_000_000.0
WHOLE = {field.name for field in fields(Endpoint) if field.type is int}
SETTINGS = {"min_limit": "min", "max_limit": "max"}

ADMISSION = "select a.* from holdfast.endpoints as e, holdfast.admission(e, $1) as a"
BEGIN = "select holdfast.save_endpoint(holdfast.start_call(e, $1, $2, $3)) from holdfast.endpoints as e"
OK = """
select holdfast.save_endpoint(holdfast.call_ok(e, $1, $2, $3, $4, $5, $6, $7)) from holdfast.endpoints as e
"""
LIMITED = """
select holdfast.save_endpoint(holdfast.call_limited(e, $1, $2, $3, $4, $5, $6)) from holdfast.endpoints as e
"""
ANSWERED = """
select holdfast.save_endpoint(holdfast.call_answered(e, $1, $2, $3)) from holdfast.endpoints as e
"""
VOID = "select holdfast.save_endpoint(holdfast.call_void(e, $1, $2)) from holdfast.endpoints as e"
FAILED = """
with told as (
  select f.* from holdfast.endpoints as e, holdfast.call_failed(e, $1, $2, $3, $4, $5, $6, $7, $8, $9) as f
), saved as (
  select holdfast.save_endpoint(told.e) from told
)
select told.counts from told, saved
"""


class Both:
    """Every event goes to both; `agree` raises at the first column that differs."""

    def __init__(self, conn: Connection, endpoint: Endpoint) -> None:
        self.conn = conn
        self.endpoint = endpoint

    @classmethod
    async def make(cls, conn: Connection, **settings: Any) -> "Both":
        endpoint = Endpoint(now=START, **settings)
        given = {SETTINGS.get(name, name): value for name, value in settings.items()}
        await conn.execute("select holdfast.declare_endpoint('model', $1)", json.dumps(given))
        columns = state(endpoint)
        assignments = ", ".join(f'"{name}" = ${i}' for i, name in enumerate(columns, 1))
        values = [_as_stored(name, value) for name, value in columns.items()]
        await conn.execute(f"update holdfast.endpoints set {assignments}", *values)
        return cls(conn, endpoint)

    async def admit(self, now: float, estimates: list[float | None]) -> list[Call]:
        expected = model.admit(self.endpoint, now, estimates)
        first = await self.conn.fetchrow(ADMISSION, now)
        assert first is not None
        started = 0
        for estimate in estimates[: max(0, first["room"])]:
            if started and (await self.conn.fetchval(ADMISSION, now)) <= 0:
                break
            probes = await self.conn.fetchval("select circuit <> 'closed' from holdfast.endpoints")
            await self.conn.execute(BEGIN, now, estimate, probes)
            started += 1
        assert started == len(expected.calls)
        if not expected.calls:
            assert (first["until"] is None) == (expected.until is None)
            assert expected.until is None or math.isclose(first["until"], expected.until, abs_tol=1e-6)
        return list(expected.calls)

    async def end(self, call: Call, outcome: str, now: float, luck: random.Random) -> None:
        u, units = luck.random(), luck.choice([None, 500.0 * math.exp(luck.gauss(0, 0.3))])
        start = (call.started_at, call.in_flight_at_start)
        match outcome:
            case "ok":
                model.on_ok(self.endpoint, call, now, u, units)
                await self.conn.execute(OK, now, u, *start, call.is_probe, call.estimate, units)
            case "fail":
                last_try = luck.choice([None, call.started_at, self.endpoint.last_ok, now])
                call = replace(call, tries=luck.choice([1, 19, 20, 30]), last_try=last_try)
                counts = model.on_fail(self.endpoint, call, now, u, 5)
                told = await self.conn.fetchval(
                    FAILED, now, u, *start, call.is_probe, call.estimate, call.tries, 5, last_try
                )
                assert told == counts
            case "limited":
                wait = luck.choice([1.0, 5.0, 20.0])
                model.on_rate_limited(self.endpoint, call, now, u, wait)
                await self.conn.execute(LIMITED, now, u, call.started_at, call.is_probe, call.estimate, wait)
            case "answered":
                model.on_answered(self.endpoint, call, now)
                await self.conn.execute(ANSWERED, now, call.is_probe, call.estimate)
            case _:
                model.on_void(self.endpoint, call)
                await self.conn.execute(VOID, call.is_probe, call.estimate)

    async def agree(self) -> None:
        row = await self.conn.fetchrow("select * from holdfast.endpoints")
        assert row is not None
        for name, expected in state(self.endpoint).items():
            assert _same(row[name], expected), f"{name} is {row[name]!r}, the model says {expected!r}"


def _as_stored(name: str, value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and name not in WHOLE else value


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6)
    return bool(found == expected)


MODES: dict[str, dict[str, Any]] = {
    "flow": {"mode": Mode.FLOW},
    "narrow": {"mode": Mode.FLOW, "max_limit": 10.0},
    "touchy": {"mode": Mode.FLOW, "max_limit": 3.0, "trip_quiet": 0.0, "trip_failures": 2},
    "rate": {"mode": Mode.FLOW, "static_rate": 50.0},
    "aimd": {"mode": Mode.AIMD, "max_limit": 10.0},
    "aimd_simple": {"mode": Mode.AIMD_SIMPLE, "max_limit": 10.0},
    "fixed": {"mode": Mode.FIXED, "max_limit": 10.0},
}
PHASES = {
    "good": (["ok"], 0.95),
    "bad": (["fail"], 0.85),
    "busy": (["limited"], 0.4),
    "mixed": (["ok", "fail", "limited", "answered", "void"], 0.5),
}
