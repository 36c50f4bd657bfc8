"""What jobs say about an endpoint."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal, to_json
from tests.sql.endpoints.scene import an_endpoint, calls, the_endpoint


async def test_an_endpoint_is_made_by_its_first_job_with_the_defaults_of_a_declared_one(
    conn: Connection,
) -> None:
    await calls(conn, 1)
    await an_endpoint(conn, "declared")
    by_job, declared = await the_endpoint(conn), await the_endpoint(conn, "declared")
    for name, value in by_job.items():
        is_moment = isinstance(value, float) and value > 1e9
        # What is only named by jobs goes when it is not used any more.
        assert name in ("name", "expires_at") or is_moment or value == declared[name], name


@pytest.mark.parametrize("estimate", [-1, "NaN", "many", 1e300])
async def test_an_estimate_that_cannot_be_is_refused_with_its_job(conn: Connection, estimate: object) -> None:
    enqueue = "select holdfast.enqueue_jobs(array['t'], array['{}'::json], $1)"
    error = await refusal(conn, enqueue, to_json({"endpoint": "model", "estimate": estimate}))
    assert error.sqlstate == "HF002"
