"""request_action: who may ask for a bulk action, what is stored, and what is refused."""

import json
from typing import Any

import asyncpg
import pytest

from holdfast.db.connect import Connection
from holdfast.model.access_key import AccessRole
from tests.builders import a_queue, refusal, the_job, to_json
from tests.sql.access_keys import a_key, digest
from tests.sql.actions import REQUEST, asked_action

MAIL = {"filter": {"queue": "mail"}}


async def test_an_action_is_a_job_of_the_queue_holdfast_that_names_its_key(conn: Connection) -> None:
    job = await the_job(conn, await asked_action(conn))
    assert (job["queue"], job["task"], job["state"]) == ("holdfast", "holdfast.cancel", "ready")
    assert (job["claimed_actor"], job["origin"]) == ("ops", "manual")
    asked = json.loads(job["payload"])
    key = await conn.fetchval("select id from holdfast.access_key_view")
    assert asked == {
        "action": "cancel", "settings": MAIL, "reason": "the campaign was stopped", "key": str(key),
    }  # fmt: skip


@pytest.mark.parametrize("role", [str(role) for role in AccessRole])
async def test_only_operators_and_admins_may_ask(conn: Connection, role: str) -> None:
    if role in ("operator", "admin"):
        await asked_action(conn, role=role)
    else:
        with pytest.raises(asyncpg.PostgresError, match="does not allow the action") as caught:
            await asked_action(conn, role=role)
        assert caught.value.sqlstate == "HF008"


@pytest.mark.parametrize(
    ("action", "settings"),
    [
        ("cancel", {"filter": {"task": "send"}}),  # names no queue
        ("cancel", {"filter": {"queue": "other"}}),
        ("resolve_dead_letters", {"filter": {"status": "open"}}),
        ("move", {"filter": {"queue": "mail"}, "to": "other"}),
    ],
)
async def test_a_key_for_some_queues_must_name_one_of_them(
    conn: Connection, action: str, settings: dict[str, Any]
) -> None:
    for name in ("mail", "other"):
        await a_queue(conn, name)
    with pytest.raises(asyncpg.PostgresError) as caught:
        await asked_action(conn, action, settings, queues=["mail"])
    assert caught.value.sqlstate == "HF008"


@pytest.mark.parametrize("action", ["replay", "replay_dead_letters"])
@pytest.mark.parametrize("scope", [{"queues": ["mail"]}, {"tasks": ["send"]}])
async def test_a_key_with_a_scope_may_not_choose_a_stage_which_may_be_in_another_queue(
    conn: Connection, action: str, scope: dict[str, Any]
) -> None:
    settings = {"filter": {"queue": "mail", "task": "send"}, "stage": "b"}
    await asked_action(conn, action, {**settings, "stage": None}, **scope)
    with pytest.raises(asyncpg.PostgresError, match="cannot choose the stage of a replay") as caught:
        await asked_action(conn, action, settings, **scope)
    assert caught.value.sqlstate == "HF008"


async def test_a_key_with_a_scope_may_not_count_the_jobs_of_other_people(conn: Connection) -> None:
    def by(actor: str) -> dict[str, Any]:
        return {"filter": {"queue": "mail", "actor": actor}, "dry_run": True}

    await asked_action(conn, "cancel", by("ops"), queues=["mail"])
    with pytest.raises(asyncpg.PostgresError, match="only with its own name") as caught:
        await asked_action(conn, "cancel", by("ada"), queues=["mail"])
    assert caught.value.sqlstate == "HF008"


async def test_a_key_for_some_tasks_may_not_move_a_queue(conn: Connection) -> None:
    for name in ("mail", "slow"):
        await a_queue(conn, name)
    with pytest.raises(asyncpg.PostgresError) as caught:
        await asked_action(conn, "move", {**MAIL, "to": "slow"}, tasks=["send"])
    assert caught.value.sqlstate == "HF008"


@pytest.mark.parametrize(
    ("action", "settings", "reason"),
    [
        ("destroy", MAIL, "why"),
        (None, MAIL, "why"),
        ("cancel", MAIL, " "),
        ("cancel", MAIL, None),
        ("cancel", {}, "why"),
        ("cancel", {"filter": {}}, "why"),
        ("cancel", {"filter": []}, "why"),
        ("cancel", {"filter": {"colour": "red"}}, "why"),
        ("cancel", {"filter": {"queue": "holdfast"}}, "why"),
        ("cancel", {"filter": {"labels": {"a": "x" * 20_000}}}, "why"),
        ("resolve_dead_letters", {"filter": {"state": "dead"}}, "why"),
        ("move", {"filter": {"queue": "mail", "task": "t"}, "to": "slow"}, "why"),
        ("move", {"filter": {"queue": "mail"}, "to": "holdfast"}, "why"),
    ],
)
async def test_what_could_not_be_done_is_refused_when_it_is_asked_for(
    conn: Connection, action: str | None, settings: dict[str, Any], reason: str | None
) -> None:
    await a_key(conn, "admin", "ops")
    wrong = await refusal(conn, REQUEST, digest("ops"), action, to_json(settings), reason, None)
    assert wrong.sqlstate == "HF002"


async def test_an_unknown_secret_stores_nothing(conn: Connection) -> None:
    wrong = await refusal(conn, REQUEST, digest("nobody"), "cancel", to_json(MAIL), "why", None)
    assert wrong.sqlstate == "HF007"


async def test_the_same_idempotency_key_gives_the_same_action(conn: Connection) -> None:
    first = await asked_action(conn, key="k")
    assert await asked_action(conn, key="k") == first
    other = await refusal(
        conn, REQUEST, digest("ops"), "cancel", to_json({"filter": {"queue": "b"}}), "why", "k"
    )
    assert other.sqlstate == "HF003"
