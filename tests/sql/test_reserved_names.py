"""The names `holdfast` and `holdfast.…` of queues and tasks are refused at every door, for every role; and so
are `.` and `..`.
"""

from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import a_worker, dead_job, ready_job, refusal, running_job, state_of
from tests.sql.actions import asked_action, claimed_action

REFUSED, DENIED = "HF002", "42501"
ROLES = ("holdfast_producer", "holdfast_worker", "holdfast_operator", "holdfast_viewer")
PRODUCERS, WORKERS, OPERATORS = ROLES[:3], ROLES[1:2], ROLES[2:3]
QUEUE, TASK = "holdfast", "holdfast.cancel"
ENQUEUE = "enqueue_jobs(array['t', 't'], array['{}', '{}']::json[], "
COLUMNS = "enqueue_columns(array['t'], array['{}']::json[], "
STAGES = '{"stages": [{"name": "a", "task": "t", "queue": "holdfast"}]}'
STAGE_TASK = '{"stages": [{"name": "a", "task": "holdfast.cancel"}]}'
# Written by hand: each way in which a name could enter, and the roles that may call that verb.
DOORS: list[tuple[str, tuple[str, ...]]] = [
    ("enqueue('t', queue => 'holdfast')", PRODUCERS),
    ("enqueue('t', queue => 'holdfast.more')", PRODUCERS),
    ("enqueue('holdfast.cancel')", PRODUCERS),
    ("enqueue('holdfast', delay => '1 hour')", PRODUCERS),
    ("""enqueue_one('t', '{}', '{"queue": "holdfast"}')""", PRODUCERS),
    ("""enqueue_one('t', '{}', '{"default_queue": "holdfast"}')""", PRODUCERS),
    ("""enqueue_one('t', '{}', '{"queue": "holdfast", "unique_key": "k"}')""", PRODUCERS),
    ("enqueue_one('holdfast.cancel', '{}')", PRODUCERS),
    (f"""{ENQUEUE} '{{"queue": "holdfast"}}')""", PRODUCERS),
    (f"""{ENQUEUE} '{{}}', array['{{}}', '{{"queue": "holdfast"}}']::jsonb[])""", PRODUCERS),
    (f"""{ENQUEUE} '{{}}', array['{{}}', '{{"default_queue": "holdfast.b"}}']::jsonb[])""", PRODUCERS),
    ("enqueue_jobs(array['t', 'holdfast.x'], array['{}', '{}']::json[])", PRODUCERS),
    (f"{COLUMNS} queue => array['holdfast'])", PRODUCERS),
    (f"{COLUMNS} default_queue => array['holdfast'])", PRODUCERS),
    ("enqueue_columns(array['holdfast.x'], array['{}']::json[])", PRODUCERS),
    ("""start_run('r', '{"on_complete": {"task": "holdfast.cancel"}}')""", PRODUCERS),
    ("""start_run('r', '{"on_complete": {"task": "t", "queue": "holdfast"}}')""", PRODUCERS),
    (f"declare_pipeline('p', '{STAGES}')", PRODUCERS),
    (f"declare_pipeline('p', '{STAGE_TASK}')", PRODUCERS),
    ("""declare_pipeline('holdfast', '{"stages": [{"name": "a", "task": "t"}]}')""", PRODUCERS),
    ("register_worker(gen_random_uuid(), array['default', 'holdfast'])", WORKERS),
    ("declare_queue('holdfast')", PRODUCERS[1:]),
    ("declare_task('holdfast.cancel')", PRODUCERS[1:]),
    ("""declare_task('t', '{"queue": "holdfast"}')""", PRODUCERS[1:]),
    (
        """declare_schedules('app', '{"s": {"task": "holdfast.cancel", "every": 60}}')""",
        PRODUCERS[1:],
    ),
    ("""set_queue('holdfast', '{"priority": 1}')""", OPERATORS),
    ("""set_task('holdfast', '{"priority": 1}')""", OPERATORS),
    ("""set_task('t', '{"queue": "holdfast"}')""", OPERATORS),
    ("""set_rule('task', 't', 'r', '{"condition": "$.size > 0", "queue": "holdfast"}')""", OPERATORS),
    ("""set_rule('queue', 'holdfast', 'r', '{"condition": "$.size > 0", "points": 1}')""", OPERATORS),
    ("""set_rule_set('task', 'holdfast.cancel', '{"base": 1}')""", OPERATORS),
    ("""set_schedule('s', '{"task": "holdfast.cancel", "every": 60}')""", OPERATORS),
    (
        """set_schedule('s', '{"task": "t", "every": 60, "options": {"queue": "holdfast"}}')""",
        OPERATORS,
    ),
    ("move_jobs('default', 'holdfast', 1, 'why')", OPERATORS),
    ("move_jobs('holdfast', 'default', 1, 'why')", OPERATORS),
    ("set_rebalance('default', 'holdfast')", OPERATORS),
]  # fmt: skip


@pytest.mark.parametrize("role", [None, *ROLES])
async def test_every_door_refuses_the_reserved_names_for_every_role(
    conn: Connection, role: str | None
) -> None:
    await asked_action(conn)  # the queue is there
    await ready_job(conn)
    if role is not None:
        await conn.execute(f"set local role {role}")
    for statement, roles in DOORS:
        expected = REFUSED if role is None or role in roles else DENIED
        assert (await refusal(conn, f"select holdfast.{statement}")).sqlstate == expected, statement
    await conn.execute("reset role")
    assert await conn.fetchval("select count(*) from holdfast.jobs where queue like 'holdfast%'") == 1


async def test_children_and_replacements_cannot_enter_the_reserved_queue(conn: Connection) -> None:
    job = await running_job(conn)
    spawn = "select holdfast.spawn_children($1, $2, 'n', array['t'], array['{}']::json[], $3)"
    assert (await refusal(conn, spawn, job.id, job.token, '{"queue": "holdfast"}')).sqlstate == REFUSED
    task = "select holdfast.spawn_children($1, $2, 'n', array['holdfast.x'], array['{}']::json[])"
    assert (await refusal(conn, task, job.id, job.token)).sqlstate == REFUSED
    action = await ended_action(conn, "fail")
    assert await state_of(conn, action) == "dead"
    replace = await refusal(conn, "select holdfast.replace_job($1, '{}')", action)
    assert replace.sqlstate == REFUSED


async def test_a_task_or_rule_that_leads_there_all_the_same_is_refused_at_the_enqueue(
    conn: Connection,
) -> None:
    """The settings are refused too; this is the last door."""
    await conn.execute("select holdfast.set_task('t', '{\"queue\": \"mail\"}')")
    await conn.execute("update holdfast.tasks set queue = 'holdfast' where name = 't'")
    assert (await refusal(conn, "select holdfast.enqueue('t')")).sqlstate == REFUSED
    await asked_action(conn)
    assert (await refusal(conn, "select holdfast.enqueue('t')")).sqlstate == REFUSED
    await conn.execute(
        """select holdfast.set_rule('task', 'u', 'r', '{"condition": "$.size > 0", "queue": "mail"}')"""
    )
    await conn.execute("update holdfast.rules set queue = 'holdfast'")
    assert (await refusal(conn, "select holdfast.enqueue('u')")).sqlstate == REFUSED


@pytest.mark.parametrize("name", [".", ".."])
@pytest.mark.parametrize(
    "door",
    [
        "enqueue('t', queue => $1)", "enqueue($1)", "declare_queue($1)", "declare_task($1)",
        "enqueue_one('t', '{}', jsonb_build_object('endpoint', $1::text))", "declare_endpoint($1)",
        """declare_pipeline($1, '{"stages": [{"name": "a", "task": "t"}]}')""",
    ],
)  # fmt: skip
async def test_a_step_of_a_path_is_no_name(conn: Connection, name: str, door: str) -> None:
    """A browser removes it from an address: /queues/./pause would be /queues/pause, which pauses all."""
    refused = await refusal(conn, f"select holdfast.{door}", name)
    assert refused.sqlstate == REFUSED
    assert "cannot be part of a URL" in str(refused)


async def test_names_that_only_look_alike_are_free(conn: Connection) -> None:
    for name in ("holdfasts", "Holdfast", "my.holdfast", "holdfast-mail", "...", ".a", "a/./b"):
        assert await state_of(conn, await ready_job(conn, queue=name, task=name)) == "ready"


@pytest.mark.parametrize("end", ["complete", "fail"])
async def test_an_action_that_has_ended_is_never_replayed(conn: Connection, end: str) -> None:
    action = await ended_action(conn, end)
    other = (await dead_job(conn)).id
    assert (await refusal(conn, "select holdfast.replay_jobs($1)", [action])).sqlstate == REFUSED
    replayed = await conn.fetch("select job_id from holdfast.replay_dead_letters()")
    assert [row["job_id"] for row in replayed] == [other]


async def test_a_filter_means_actions_only_if_it_names_their_queue(conn: Connection) -> None:
    action, job = await asked_action(conn), await ready_job(conn)

    async def found(filters: str) -> list[UUID]:
        return [row[0] for row in await conn.fetch("select job_id from holdfast.find_jobs($1)", filters)]

    assert await found('{"state": "ready"}') == [job]
    assert await found('{"queue": "holdfast"}') == [action]
    listed = await conn.fetch("select id from holdfast.list_jobs()")
    assert [row["id"] for row in listed] == [job]
    count = "select holdfast.count_matching_jobs($1, array['ready'])"
    assert await conn.fetchval(count, "{}") == 1


async def test_only_a_worker_that_asks_for_it_gets_actions(conn: Connection) -> None:
    action = await asked_action(conn)
    plain = await a_worker(conn, queues=["default"])
    assert await conn.fetch("select job_id from holdfast.claim_jobs($1, 9)", plain) == []
    assert (await claimed_action(conn)).id == action


async def test_a_pause_of_all_queues_does_not_stop_actions_but_one_by_name_does(conn: Connection) -> None:
    await conn.execute("select holdfast.pause_all_queues('incident')")
    action = await asked_action(conn)
    assert [row["blocker"] for row in await explained(conn, action)] == ["no_worker"]
    await conn.execute("select holdfast.pause_queue('holdfast', 'no actions now')")
    worker = uuid4()
    register = "select holdfast.register_worker($1, array['holdfast'], '{\"internal\": true}')"
    await conn.execute(register, worker)
    claim = "select job_id from holdfast.claim_jobs($1, 1)"
    assert await conn.fetchval(claim, worker) is None
    await conn.execute("select holdfast.resume_queue('holdfast')")
    assert await conn.fetchval(claim, worker) == action


async def explained(conn: Connection, job: UUID) -> list[Any]:
    rows = await conn.fetch("select blocker, blocks from holdfast.explain($1)", job)
    return [row for row in rows if row["blocks"]]


async def ended_action(conn: Connection, end: str) -> UUID:
    await asked_action(conn)
    job = await claimed_action(conn)
    detail = "null" if end == "complete" else """'{"class": "permanent", "message": "x"}'"""
    await conn.execute(
        "select holdfast.settle_and_claim($1, 0, array[$2::uuid], array[$3::uuid], array[$4],"
        f" array[null]::json[], array[{detail}]::jsonb[])",
        job.worker, job.id, job.token, end,
    )  # fmt: skip
    return job.id
