"""The verbs on values that handlers share."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.read_rows import read_one
from holdfast.db.statement import Executor, fetch_value
from holdfast.model.cached_value import TakenValue
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText

TAKE = (
    "select result, value, writer from holdfast.take_cached_value("
    "$1::uuid, $2::uuid, $3::text, $4::text, $5::interval)"
)
SAVE = (
    "select holdfast.save_cached_value("
    "$1::uuid, $2::uuid, $3::text, $4::text, $5::uuid, $6::json, $7::interval)"
)
FREE = "select holdfast.free_cached_value($1::text, $2::text, $3::uuid)"


async def take_cached_value(
    on: Executor, job: ClaimedJob, scope: str, key: str, wait: timedelta
) -> TakenValue:
    """The value, or whether the caller must compute it. Raises LeaseLost."""
    return await read_one(on, TakenValue, TAKE, job.id, job.token, scope, key, wait)


async def save_cached_value(
    on: Executor, job: ClaimedJob, scope: str, key: str, writer: UUID, value: JsonText, lasts: timedelta
) -> bool:
    """False if another attempt has taken the key over. Raises LeaseLost."""
    return bool(await fetch_value(on, SAVE, job.id, job.token, scope, key, writer, value, lasts))


async def free_cached_value(on: Executor, scope: str, key: str, writer: UUID) -> bool:
    """The next caller computes the value. False if another attempt has taken the key over."""
    return bool(await fetch_value(on, FREE, scope, key, writer))
