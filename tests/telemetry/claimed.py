"""A claimed job without a database."""

from datetime import UTC, datetime
from uuid import UUID

from holdfast.model.id import JobId, Token
from holdfast.model.job import ClaimedJob
from holdfast.model.payload import JsonText

NOW = datetime(2026, 11, 17, tzinfo=UTC)


def claimed_job(job: JobId, task: str = "send", attempt: int = 1, endpoint: str | None = None) -> ClaimedJob:
    return ClaimedJob(
        id=job,
        token=Token(UUID(int=job.int + 1)),
        task=task,
        queue="mail",
        payload_json=JsonText("{}"),
        attempt=attempt,
        failures=0,
        losses=0,
        priority=50,
        run=None,
        stage=None,
        generation=1,
        visit=1,
        labels_json=None,
        order_key=None,
        started_at=NOW,
        ready_at=NOW,
        stop_after=None,
        endpoint=endpoint,
    )
