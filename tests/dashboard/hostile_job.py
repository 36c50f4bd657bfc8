"""A job with hostile text in every field that its page shows."""

import json

from holdfast.db.connect import Connection
from tests.builders import Running, fail, report, running_job
from tests.dashboard.hostile import HOSTILE


async def hostile_job(conn: Connection) -> Running:
    text = HOSTILE[:200]
    job = await running_job(
        conn,
        task=text,
        payload={HOSTILE: HOSTILE},
        labels={text[:100]: HOSTILE[:1000]},
        unique_key=text,
        order_key=text,
        origin=text,
        actor=text,
        retry={"delays": [0]},
    )
    await report(conn, job, done=1, total=2, item=HOSTILE, errors=[{"item": HOSTILE, "error": HOSTILE}])
    await conn.execute(
        "select holdfast.save_checkpoint($1, $2, $3, $4)", job.id, job.token, text, json.dumps(HOSTILE)
    )
    await save_log(conn, job, HOSTILE)
    error = {"type": text, "message": HOSTILE, "place": HOSTILE[:1000], "traceback": HOSTILE}
    await fail(conn, job, error_class="permanent", **error)
    return job


async def save_log(conn: Connection, job: Running, *messages: str) -> None:
    lines = [["2030-01-01T00:00:00Z", "WARNING", "mail.send", one] for one in messages]
    await conn.execute(
        "select holdfast.save_logs(array[$1::uuid], array[$2::integer], array[$3::uuid], array[0],"
        " array[$4::json])",
        job.id,
        job.attempt,
        job.token,
        json.dumps(lines),
    )
