"""An operator says how much room all logs have; the audit trail keeps the change."""

import pytest

from holdfast.db.connect import Connection
from holdfast.model.payload import decode
from tests.builders import refusal

LIMIT = "select holdfast.limit_logs($1, $2, 'Ada')"


async def test_the_limit_and_its_change_are_recorded(conn: Connection) -> None:
    await conn.execute(LIMIT, 5000, "small disk")
    assert await conn.fetchval("select max_bytes from holdfast.log_storage_view") == 5000
    event = await conn.fetchrow(
        "select actor, reason, detail from holdfast.event_view where cause = 'limit_logs'"
    )
    assert event is not None
    assert (event["actor"], event["reason"]) == ("Ada", "small disk")
    assert decode(event["detail"]) == {"from": 2**30, "to": 5000}


@pytest.mark.parametrize(("most", "reason"), [(-1, "why"), (None, "why"), (5, " ")])
async def test_a_wrong_limit_or_a_missing_reason_is_refused(
    conn: Connection, most: int | None, reason: str
) -> None:
    assert (await refusal(conn, LIMIT, most, reason)).sqlstate == "HF002"
    assert await conn.fetchval("select max_bytes from holdfast.log_storage_view") == 2**30
