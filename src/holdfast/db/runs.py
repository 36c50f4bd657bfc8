"""The verbs on runs."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast.db import rows
from holdfast.db.statement import Executor, fetch_row, fetch_value
from holdfast.model.id import RunId
from holdfast.model.run import RunProgress, Which

START = "select holdfast.start_run($1::text, $2::jsonb)"
SEAL = "select holdfast.seal_run($1::uuid)"
CANCEL = "select holdfast.cancel_run($1::uuid, $2::text, $3::text)"
REPLAY = "select holdfast.replay_run($1::uuid, $2::text, $3::text, $4::text)"
PROGRESS = (
    "select run, name, state, total, waiting, scheduled, ready, running, completed, rejected, cancelled,"
    " dead, started_at, ended_at, rate_per_minute, eta from holdfast.run_progress($1::uuid)"
)


async def start_run(on: Executor, name: str, options: Mapping[str, Any] | None = None) -> RunId:
    return RunId(await fetch_value(on, START, name, json.dumps(options or {})))


async def seal_run(on: Executor, run_id: RunId) -> bool:
    """Say that the last job is in: a run ends only when sealed. True if it has ended with that."""
    return bool(await fetch_value(on, SEAL, run_id))


async def cancel_run(on: Executor, run_id: RunId, reason: str | None, actor: str) -> int:
    """The number of jobs that were cancelled or asked to stop."""
    return int(await fetch_value(on, CANCEL, run_id, reason, actor))


async def replay_run(on: Executor, run_id: RunId, which: Which, reason: str | None, actor: str) -> int:
    """The number of jobs that were brought back."""
    return int(await fetch_value(on, REPLAY, run_id, which, reason, actor))


async def run_progress(on: Executor, run_id: RunId) -> RunProgress | None:
    row = await fetch_row(on, PROGRESS, run_id)
    return None if row is None else rows.run_progress(row)
