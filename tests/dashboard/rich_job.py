"""A job with a long life, played by the real verbs on a fake clock: all that its page can show."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

from holdfast.db.connect import Connection
from holdfast.testing.clock import FakeClock
from tests.builders import Running, a_worker, claim, claim_one, ready_job, ready_jobs, renew, report, settle
from tests.stage_builders import a_pipeline

PAYLOAD = {
    "post": 48213,
    "title": "Which ferries take bicycles to Westray in April?",
    "body": "We land in Kirkwall on the 9th, late, and would like to go on to Westray the next morning. Can"
    " we take two bicycles without booking, and is there a ferry on Sundays?",
    "author": {"name": "K. Muir", "email": "k.muir@example.org"},
    "lang": "en",
    "is_urgent": False,
    "received_at": "2026-03-17T14:01:11Z",
}
TRACE = "00-7c1e40a96b5d4f027c1e40a96b5d4f02-b7ad6b7169203331-01"
NAME = "briefs"
OPTIONS: dict[str, Any] = {
    "labels": {"tenant": "northwind", "lang": "en", "pages": 3},
    "unique_key": "post 48213",
    "order_key": "customer 17",
    "priority": 70,
    "origin": "trigger",
    "actor": "intake",
    "trace": TRACE,
    "retry": {"delays": [300, 900, 1800]},
}
SAVE_LOGS = """
select holdfast.save_logs(array[$1::uuid], array[$2::integer], array[$3::uuid], array[0], array[$4::json])
"""
TRACEBACK = """Traceback (most recent call last):
  File "agent.py", line 141, in ask
    answer = await self.post(messages)
{}: {}"""


class RichJob:
    """Half an hour of a job that triages, researches, is put off, fails, and is in line again."""

    def __init__(self, conn: Connection, clock: FakeClock) -> None:
        self._conn, self._clock = conn, clock

    async def play(self) -> UUID:
        end = await self._clock.now()
        await self._clock.set(end - timedelta(minutes=31))
        endpoint = {"max": 2, "price": 0.0000021}
        await self._conn.execute("select holdfast.declare_endpoint('ollama-27b', $1)", json.dumps(endpoint))
        research = {"name": "research", "task": "research", "endpoint": "ollama-27b"}
        await a_pipeline(self._conn, NAME, ["triage", research])
        queues = [f"{NAME}.triage", f"{NAME}.research"]
        self._worker = await a_worker(self._conn, queues, lease=timedelta(hours=2), host="ams-3")
        job = await ready_job(self._conn, pipeline=NAME, payload=PAYLOAD, **OPTIONS)
        await self._triage()
        await self._rate_limited()
        await self._fails()
        await self._crowd()
        await self._clock.set(end)
        # The 429 had lowered the limit to one call; it has recovered, and the worker claims again.
        assert await claim(self._conn, self._worker, 2)
        await renew(self._conn, self._worker)
        return job

    async def _triage(self) -> None:
        held = await self._claim(1.2)
        await self._call(held, 2.6, kind="model", name="gemma3:4b", units=412, finish_reason="stop")
        await settle(
            self._conn,
            held,
            "advance",
            {"stage": "research", "units": 412},
            {"topic": "ferries", "score": 0.93},
        )

    async def _rate_limited(self) -> None:
        held = await self._claim(675)
        await self._call(held, 7.4, kind="model", name="gemma3:12b", units=1204, finish_reason="tool_calls")
        await self._call(held, 0.6, kind="tool", name="search_archive", argument_bytes=212)
        await self._conn.execute(
            "select holdfast.save_checkpoint($1, $2, 'plan', $3)",
            held.id,
            held.token,
            '{"steps": ["ferries", "booking"]}',
        )
        await self._call(held, 0.2, kind="model", name="gemma3:12b", error="429 Too Many Requests")
        await self._fail(
            held,
            "rate_limited",
            "ModelRateLimited",
            "429 Too Many Requests from ollama-12b",
            retry_after=75,
            units=1204,
        )

    async def _fails(self) -> None:
        await self._make_due()
        # A 429 closes the endpoint for up to 1.1 times its 75 s; the job waits for at least the 75 s.
        held = await self._claim(8)
        await report(self._conn, held, done=3, total=8, item="booking", note="reading timetables")
        await self._log(held)
        await self._call(held, 60, kind="model", name="gemma3:12b", error="no answer")
        await self._fail(
            held, "transient", "TimeoutError", "no answer from http://ollama-12b:11434/api/chat after 60 s"
        )
        await self._make_due()

    async def _make_due(self) -> None:
        await self._clock.set(
            await self._conn.fetchval("select max(due_at) from holdfast.jobs where order_key = 'customer 17'")
        )
        await self._conn.execute("select holdfast.promote_jobs()")

    async def _crowd(self) -> None:
        """Two others take all that its endpoint admits."""
        options = {"queue": f"{NAME}.research", "endpoint": "ollama-27b", "priority": 90}
        await ready_jobs(self._conn, 2, task="research", **options)
        assert await claim(self._conn, self._worker, 2)

    async def _claim(self, after: float) -> Running:
        await self._clock.advance(after)
        return await claim_one(self._conn, self._worker)

    async def _call(self, held: Running, seconds: float, **call: Any) -> None:
        await self._clock.advance(seconds)
        await self._conn.execute(
            "select holdfast.save_call($1, $2, $3)",
            held.id,
            held.token,
            json.dumps({"seconds": seconds, **call}),
        )

    async def _fail(self, held: Running, kind: str, name: str, words: str, **more: Any) -> None:
        traceback = TRACEBACK.format(name, words)
        error = {
            "class": kind,
            "type": name,
            "message": words,
            "place": "agent.py:141 in ask",
            "traceback": traceback,
        }
        assert await settle(self._conn, held, "fail", {**error, "evidence": "none", **more})

    async def _log(self, held: Running) -> None:
        now = (await self._clock.now()).isoformat()
        lines = [
            [now, "INFO", "briefs.research", "plan remembered from attempt 2"],
            [now, "WARNING", "briefs.research", "the timetable of 2025 is the newest one"],
            [now, "ERROR", "briefs.model", "no answer within 60 s"],
        ]
        await self._conn.execute(SAVE_LOGS, held.id, held.attempt, held.token, json.dumps(lines))
