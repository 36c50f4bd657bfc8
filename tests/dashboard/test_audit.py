"""The audit trail: what an event says in words, and what is known of the seals."""

from datetime import UTC, date, datetime
from functools import partial
from typing import Any
from uuid import UUID

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from holdfast.dashboard import audit_words
from holdfast.dashboard.pages.audit import seal_words
from holdfast.model.audit import AuditDay, AuditEvent, DayStatus
from holdfast.model.masking import Masking
from tests.builders import ready_jobs

words_of = partial(audit_words.words_of, masking=Masking())
title_of = partial(audit_words.title_of, masking=Masking())
JOB = UUID("01900000-0000-7000-8000-59b739b52738")


def event(cause: str, detail: dict[str, Any] | None = None, **more: Any) -> AuditEvent:
    names = ("job", "run", "queue", "from_state", "to_state", "attempt", "worker", "actor", "reason", "day")
    given: dict[str, Any] = dict.fromkeys(names) | {"login": "holdfast", "detail": detail or {}} | more
    return AuditEvent(id=1, at=datetime(2026, 1, 2, tzinfo=UTC), cause=cause, **given)


def day(status: DayStatus) -> AuditDay:
    return AuditDay(date(2026, 1, 2), 3, status, None, None)


def test_a_flag_is_named_with_its_value_and_scope() -> None:
    gpu = {"after": {"slots": "20"}, "group": "gpu", "before": {"slots": None}}
    assert words_of(event("set_flag", gpu)) == "slots = 20 for group gpu"
    assert title_of(event("set_flag", gpu)) == "Set flag slots = 20 for group gpu"
    everywhere = {"after": {"detail": None}, "before": {"detail": "full"}}
    assert words_of(event("set_flag", everywhere)) == "detail full → not set for all"
    assert (
        words_of(event("set_flag", {"after": {"rescue": "off"}}, queue="mail"))
        == "rescue = off for queue mail"
    )


def test_a_setting_that_had_a_value_says_both() -> None:
    detail = {"after": {"percent": 100}, "before": {"percent": 0}, "rollout": "new-editor"}
    assert words_of(event("set_rollout", detail)) == "new-editor: percent 0 → 100"
    assert title_of(event("set_rollout", detail)) == "Set rollout new-editor"
    cut = {"endpoint": "ollama", "limit": 3.48091, "limit_before": 3.97454}
    assert words_of(event("endpoint_cut", cut, from_state="closed", to_state="closed")) == (
        "ollama: limit 3.975 → 3.481"
    )


def test_a_title_says_what_happened() -> None:
    assert title_of(event("cancel", job=JOB, queue="mail", from_state="ready", to_state="cancelled")) == (
        "Cancelled job 59b739b52738"
    )
    assert title_of(event("end", job=JOB, to_state="dead")) == "Job 59b739b52738 ended as dead"
    assert title_of(event("pause", queue="mail")) == "Paused queue mail"
    assert title_of(event("remove_schedule", {"schedule": "nightly"})) == "Removed schedule nightly"


def test_a_day_without_a_seal_agrees_with_none() -> None:
    assert seal_words([]).startswith("No day is sealed yet.")
    assert seal_words([day(DayStatus.UNSEALED)]).startswith("No day is sealed yet.")
    intact = [day(DayStatus.UNSEALED), day(DayStatus.INTACT), day(DayStatus.INTACT)]
    assert seal_words(intact) == "2 sealed days of the last 14 agree with their seals."
    assert seal_words([*intact, day(DayStatus.BROKEN)]) == "1 day does not agree with its seal."


async def test_an_event_shows_before_and_after_and_no_empty_detail(http: AsyncClient, app: Holdfast) -> None:
    await app.settings.set_flag("slots", 10, "slow", group="gpu")
    await app.settings.set_flag("slots", 20, "faster", group="gpu")
    trail = (await http.get("/audit")).text
    assert "jobs that ended badly, in the order of recording, newest first" in trail
    assert "slots 10 → 20 for group gpu" in trail
    assert 'data-clock="moment"' in trail
    number = (await app.audit.find(1))[0].id
    page = (await http.get(f"/audit/{number}")).text
    assert "<h1>Set flag slots 10 → 20 for group gpu</h1>" in page
    assert 'data-clock="exact"' in page
    assert "Changed settings" in page
    async with app.database.transaction() as conn:
        await ready_jobs(conn, 1, queue="mail", task="send")
    await app.pause_queue("mail", "maintenance")
    number = (await app.audit.find(1))[0].id
    page = (await http.get(f"/audit/{number}")).text
    assert "<h1>Paused queue mail</h1>" in page
    assert 'id="detail"' not in page
