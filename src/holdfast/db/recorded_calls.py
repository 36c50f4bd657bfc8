"""The calls of models and tools that jobs made."""

import json
from dataclasses import asdict

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.id import JobId, Token
from holdfast.model.payload import JsonText
from holdfast.model.recorded_call import Call, NewCall
from holdfast.model.storable_text import storable

SAVE_CALL = "select holdfast.save_call($1::uuid, $2::uuid, $3::jsonb, $4::text, $5::json)"
LIST_CALLS = """
select
  generation, visit, seq, attempt, kind, name, units, seconds, finish_reason, argument_bytes, error, at, cost
from holdfast.call_view
where job_id = $1
order by generation, visit, seq
"""


async def save_call(
    on: Executor,
    job: JobId,
    token: Token,
    call: NewCall,
    checkpoint: str | None = None,
    data: JsonText | None = None,
) -> bool:
    """Records the call and its result as a checkpoint in one statement. False if the lease was lost."""
    fields = {
        name: storable(value) if isinstance(value, str) else value for name, value in asdict(call).items()
    }
    return bool(await fetch_value(on, SAVE_CALL, job, token, json.dumps(fields), checkpoint, data))


async def list_calls(on: Executor, job: JobId) -> list[Call]:
    """In order."""
    return await read_all(on, Call, LIST_CALLS, job)
