"""Each role may do its own work and nothing else; nobody may touch a table."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from holdfast.db.worker import attempt_results
from holdfast.model.id import JobId
from holdfast.model.state import State
from tests.builders import (
    a_worker,
    an_open_run,
    cancel,
    complete,
    dead_job,
    ready_job,
    refusal,
    renew,
    replay,
    report,
    rescue,
    running_job,
    settle,
    state_of,
)

DENIED = "42501"

MAINTENANCE = [
    "promote_jobs()",
    "rescue_jobs()",
    "close_runs()",
    "advance_order_keys()",
    "prune_jobs()",
    "prune_records()",
    "prune_logs()",
    "forget_workers()",
    "make_partitions()",
]

OPERATOR_VERBS: list[tuple[str, Any]] = [
    ("select holdfast.pause_queue($1)", "default"),
    ("select holdfast.resume_queue($1)", "default"),
    ("select holdfast.cancel_jobs($1)", [uuid4()]),
    ("select holdfast.replay_jobs($1)", [uuid4()]),
    ("select holdfast.cancel_run($1)", uuid4()),
    ("select holdfast.replay_run($1)", uuid4()),
    ("select holdfast.limit_logs($1, 'why', 'Ada')", 1),
    ("select holdfast.set_rollout($1, 20)", "r"),
    ("select holdfast.set_flag($1, null)", "slots"),
    ("select holdfast.create_login_link($1, sha256('x'))", "ci"),
    # Hashes may be in a backup or a log: with this verb they would open the HTTP API.
    ("select holdfast.open_session($1, sha256('x'))", b"x" * 32),
    ("select holdfast.close_session($1)", b"x" * 32),
]

WORKER_VERBS: list[tuple[str, Any]] = [
    ("select holdfast.register_worker($1, array['default'])", uuid4()),
    ("select holdfast.renew_lease($1)", uuid4()),
    ("select holdfast.stop_worker($1)", uuid4()),
    ("select holdfast.claim_jobs($1, 1)", uuid4()),
    ("select holdfast.settle_and_claim($1, 1, '{}', '{}', '{}', '{}', '{}')", uuid4()),
    ("select holdfast.complete_jobs($1, $1, '{null}')", [uuid4()]),
    ("select holdfast.fail_jobs($1, $1, '{null}')", [uuid4()]),
    ("select holdfast.snooze_jobs($1, $1, '{null}')", [uuid4()]),
    ("select holdfast.release_jobs($1, $1)", [uuid4()]),
    ("select holdfast.reject_jobs($1, $1, '{null}')", [uuid4()]),
    ("select holdfast.save_checkpoint($1, $1, 'a', '1')", uuid4()),
    ("select holdfast.load_checkpoints($1)", uuid4()),
    ("select holdfast.save_call($1, $1, '{}')", uuid4()),
    ("select holdfast.take_cached_value($1, $1, 's', 'k', '1 s')", uuid4()),
    ("select holdfast.save_cached_value($1, $1, 's', 'k', $1, '1', '1 s')", uuid4()),
    ("select holdfast.free_cached_value('s', 'k', $1)", uuid4()),
    ("select holdfast.label_job($1, $1, '{}')", uuid4()),
    ("select holdfast.report_progress($1, $1, '{}')", [uuid4()]),
    ("select holdfast.held_jobs($1)", uuid4()),
    ("select holdfast.save_logs($1, '{1}', $1, '{0}', '{[]}')", [uuid4()]),
    ("select holdfast.log_settings($1)", ["q"]),
    ("select holdfast.cancel_requests($1)", uuid4()),
    ("select holdfast.worker_flags($1)", "gpu"),
]

PRODUCER_VERBS: list[tuple[str, Any]] = [
    ("select holdfast.enqueue($1)", "t"),
    ("select holdfast.enqueue_jobs(array[$1], array['{}'::json])", "t"),
    ("select holdfast.start_run($1)", "r"),
]

# Policies come with the code that does the work, or from an operator: a short retention loses history.
POLICY_VERBS: list[tuple[str, Any]] = [
    ("select holdfast.declare_queue($1)", "q"),
    ("select holdfast.declare_task($1)", "t"),
    ("select holdfast.declare_endpoint($1)", "e"),
]


async def become(conn: Connection, role: str) -> None:
    await conn.execute(f"set local role {role}")


async def denied(conn: Connection, verbs: list[tuple[str, Any]]) -> None:
    for statement, argument in verbs:
        assert (await refusal(conn, statement, argument)).sqlstate == DENIED, statement


async def relations(conn: Connection, kinds: str) -> list[str]:
    rows = await conn.fetch(
        """
        select relname
        from pg_class
        where relnamespace = 'holdfast'::regnamespace
          and strpos($1, relkind) > 0
          and relname not in ('migrations', 'function_set', 'installation', 'lock_view')
        """,
        kinds,
    )
    return [row["relname"] for row in rows]


async def test_a_producer_enqueues_and_looks_up_what_became_of_it(conn: Connection) -> None:
    await become(conn, "holdfast_producer")
    run = await an_open_run(conn)
    job = await ready_job(conn, run=run, unique_key="k", order_key="o", queue="new", payload="x" * 5000)
    assert await ready_job(conn, unique_key="k", queue="new", payload="x" * 5000) == job
    await conn.execute("select holdfast.seal_run($1)", run)
    assert await conn.fetchval("select state from holdfast.job_states(array[$1::uuid])", job) == "ready"
    assert await conn.fetchval("select total from holdfast.run_progress($1)", run) == 1
    assert await conn.fetchval("select jobs from holdfast.run_forecast($1)", run) == 1


@pytest.mark.parametrize("role", ["producer", "worker", "operator", "viewer"])
async def test_every_role_may_ask_for_a_roll_out(conn: Connection, role: str) -> None:
    await conn.execute("select holdfast.set_rollout('new', 100)")
    await become(conn, f"holdfast_{role}")
    assert await conn.fetchval("select holdfast.in_rollout('new', '42')") is True


async def test_a_producer_does_nothing_else(conn: Connection) -> None:
    await become(conn, "holdfast_producer")
    await denied(conn, WORKER_VERBS)
    await denied(conn, OPERATOR_VERBS)
    await denied(conn, POLICY_VERBS)
    for task in MAINTENANCE:
        assert (await refusal(conn, f"select holdfast.{task}")).sqlstate == DENIED
    for view in await relations(conn, "v"):
        assert (await refusal(conn, f"select * from holdfast.{view}")).sqlstate == DENIED, view
    assert (await refusal(conn, "select holdfast.list_jobs()")).sqlstate == DENIED
    for reader in ("get_job", "list_checkpoints"):
        assert (await refusal(conn, f"select holdfast.{reader}($1)", uuid4())).sqlstate == DENIED, reader


async def test_a_worker_does_all_of_a_workers_life(conn: Connection) -> None:
    await become(conn, "holdfast_worker")
    worker = await a_worker(conn)
    ends: list[tuple[str, dict[str, Any]]] = [
        ("complete", {"units": 1}), ("fail", {"class": "transient"}), ("fail", {"class": "permanent"}),
        ("snooze", {"delay": 5}), ("release", {}), ("reject", {"reason": "no"}), ("advance", {"stage": "s"}),
        ("cancel", {}),
    ]  # fmt: skip
    for verb, detail in ends:
        job = await running_job(
            conn, await a_worker(conn, [verb]), queue=verb, order_key="o", unique_key=verb
        )
        await conn.execute("select holdfast.save_checkpoint($1, $2, 'a', '1')", job.id, job.token)
        assert await report(conn, job, done=1) == "stored"
        assert await settle(conn, job, verb, detail)
        await conn.execute("reset role")
        await conn.execute("select holdfast.cancel_jobs(array(select id from holdfast.jobs))")
        await become(conn, "holdfast_worker")
    await renew(conn, worker)
    assert await conn.fetchval("select holdfast.worker_flags()") == "{}"
    for task in MAINTENANCE:
        await conn.execute(f"select holdfast.{task}")
    await conn.execute("select holdfast.stop_worker($1)", worker)
    for statement, argument in POLICY_VERBS:
        await conn.execute(statement, argument)


async def test_a_worker_does_not_operate_and_reads_no_view(conn: Connection) -> None:
    await become(conn, "holdfast_worker")
    await denied(conn, OPERATOR_VERBS)
    for view in await relations(conn, "v"):
        assert (await refusal(conn, f"select * from holdfast.{view}")).sqlstate == DENIED, view


async def test_a_viewer_reads_every_view_and_does_nothing(conn: Connection) -> None:
    job = await running_job(conn, payload="x" * 5000)
    await conn.execute("select holdfast.save_checkpoint($1, $2, 'a', '1')", job.id, job.token)
    await report(conn, job, done=1)
    await complete(conn, job)
    await ready_job(conn)
    await become(conn, "holdfast_viewer")
    views = await relations(conn, "v")
    assert len(views) >= 8
    for view in views:
        await conn.fetch(f"select * from holdfast.{view}")
    assert await state_of(conn, job.id) == "completed"
    assert len(await conn.fetch("select * from holdfast.list_jobs()")) == 2
    assert await conn.fetchval("select value from holdfast.list_checkpoints($1)", job.id) == "1"
    await denied(conn, WORKER_VERBS)
    await denied(conn, OPERATOR_VERBS)
    await denied(conn, PRODUCER_VERBS)
    await denied(conn, POLICY_VERBS)


async def test_an_operator_operates_and_reads_but_does_not_work(conn: Connection) -> None:
    run = await an_open_run(conn)
    job = await ready_job(conn, run=run)
    await become(conn, "holdfast_operator")
    await conn.execute("select holdfast.pause_queue('default', 'hot', 'Ada')")
    await conn.execute("select holdfast.resume_queue('default', null, 'Ada')")
    await conn.execute("select holdfast.set_flag('slots', '20', null, 'gpu', 'load', 'Ada')")
    assert await cancel(conn, job) == "cancelled"
    assert await replay(conn, job) == "replayed"
    assert await conn.fetchval("select holdfast.cancel_run($1)", run) == 1
    assert await conn.fetchval("select holdfast.replay_run($1, 'all')", run) == 1
    await rescue(conn)
    for view in await relations(conn, "v"):
        await conn.fetch(f"select * from holdfast.{view}")
    await denied(conn, WORKER_VERBS)


@pytest.mark.parametrize(
    "role", ["holdfast_producer", "holdfast_worker", "holdfast_viewer", "holdfast_operator"]
)
async def test_no_role_touches_a_table_or_an_inner_function(conn: Connection, role: str) -> None:
    inner = await conn.fetch(
        """select p.oid::regprocedure::text as name, has_function_privilege($1, p.oid, 'execute') as may
           from pg_proc as p where p.pronamespace = 'holdfast'::regnamespace and not p.prosecdef""",
        role,
    )
    assert len(inner) > 30
    assert {row["name"] for row in inner if row["may"]} == {"holdfast.now()", "holdfast.created_at(uuid)"}
    await become(conn, role)
    for table in await relations(conn, "rp"):
        for statement in ("select * from", "delete from", "truncate"):
            assert (await refusal(conn, f"{statement} holdfast.{table}")).sqlstate == DENIED, table


async def test_a_stranger_may_do_nothing(conn: Connection) -> None:
    await conn.execute("create role a_stranger")
    await become(conn, "a_stranger")
    await denied(conn, PRODUCER_VERBS)
    await denied(conn, POLICY_VERBS)
    await denied(conn, WORKER_VERBS)
    await denied(conn, OPERATOR_VERBS)
    for statement in (
        "select * from holdfast.job_view",
        "select holdfast.now()",
        "select * from holdfast.jobs",
    ):
        assert (await refusal(conn, statement)).sqlstate == DENIED


async def test_the_token_of_another_workers_job_cannot_be_read(conn: Connection) -> None:
    """A token is the right to end a job; views and look-ups do not show it."""
    job = await running_job(conn)
    for view in await relations(conn, "v"):
        for row in await conn.fetch(f"select to_jsonb(v)::text as text from holdfast.{view} as v"):
            assert str(job.token) not in row["text"], view


async def test_a_worker_reads_what_became_of_its_attempts(conn: Connection) -> None:
    await become(conn, "holdfast_worker")
    dead = await dead_job(conn)
    (found,) = await attempt_results(conn, [JobId(dead.id)], [1])
    assert (found.message, found.state) == ("it broke", State.DEAD)
