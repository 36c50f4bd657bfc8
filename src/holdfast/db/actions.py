"""The verbs of bulk operator actions that access keys ask for."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.db.read_rows import enqueued, read_one
from holdfast.db.statement import Executor, fetch_one
from holdfast.model.access_key import AccessAction, SecretHash
from holdfast.model.action import ActionName, ActionStep
from holdfast.model.id import JobId, Token
from holdfast.model.job import Enqueued

REQUEST = (
    "select job_id, created from holdfast.request_action($1::bytea, $2::text, $3::jsonb, $4::text, $5::text)"
)
BEGIN_STEP = (
    "select actor, asked_at, is_cancelled, allowed"
    " from holdfast.begin_action_step($1::uuid, $2::uuid, $3::uuid[])"
)
CHECK = "select name from holdfast.check_action_access($1::bytea, $2::uuid, $3::text)"


async def request_action(
    on: Executor,
    hashed: SecretHash,
    action: ActionName,
    settings: Mapping[str, Any],
    reason: str,
    idempotency_key: str | None,
) -> Enqueued:
    """Raises AccessDenied for what the access key may not do."""
    return enqueued(
        await fetch_one(on, REQUEST, hashed, action, json.dumps(settings), reason, idempotency_key)
    )


async def begin_step(on: Executor, job: JobId, token: Token, jobs: Sequence[JobId] | None) -> ActionStep:
    """Raises LeaseLost, and NotAuthenticated or AccessDenied if the access key may not do it any more."""
    return await read_one(on, ActionStep, BEGIN_STEP, job, token, jobs)


async def check_action_access(on: Executor, hashed: SecretHash, job: JobId, action: AccessAction) -> str:
    """The name of the access key."""
    return str((await fetch_one(on, CHECK, hashed, job, action))[0])
