"""There are several ways to enqueue; what is stored, told and refused must not depend on the way."""

from random import Random
from typing import Any

import asyncpg
import pytest

from holdfast.db.connect import Connection
from holdfast.model.error import HoldfastError
from holdfast.testing import install_fake_clock
from tests.builders import an_open_run, to_json
from tests.sql.enqueue_jobs.ways import (
    Options,
    Way,
    alike,
    columns,
    each_its_own,
    one_by_one,
    with_arguments,
)

STORED = """
select to_jsonb(j) - array['id', 'lane', 'rank_at', 'order_seq', 'payload'] as row,
  (select to_jsonb(l) - array['lane', 'expires_at'] from holdfast.lanes as l where l.lane = j.lane) as lane,
  date_trunc('milliseconds', j.rank_at) as rank_at,
  coalesce(j.payload, (select p.payload from holdfast.payloads as p where p.job_id = j.id))::text as payload,
  j.payload is null as is_apart,
  (select jsonb_agg(to_jsonb(e) - array['id', 'job_id'])
    from holdfast.events as e where e.job_id = j.id) as events,
  (select jsonb_agg(to_jsonb(k) - 'job_id') from holdfast.unique_keys as k where k.job_id = j.id) as keys,
  (select jsonb_agg(k.key) from holdfast.order_keys as k where k.head = j.id) as heads,
  case when j.order_key is not null
    then rank() over (partition by j.order_key order by j.order_seq) end as place
from unnest($1::uuid[]) with ordinality as u (id, i)
join holdfast.jobs as j on j.id = u.id
order by u.i
"""
SCENE = """
select holdfast.declare_queue('aged', '{"ageing": 2}');
select holdfast.declare_queue('noted', '{"detail": "full", "priority": 3}');
select holdfast.declare_queue('calls', '{"endpoint": "model", "timeout": 60}');
select holdfast.declare_queue('silent', '{"notify": false}');
select holdfast.declare_queue('narrow', '{"payload_limit": 1000}');
select holdfast.declare_task('x', '{"priority": 66, "timeout": 5}');
select holdfast.enqueue('x', '{"n": 1}', unique_key => 'taken');
select holdfast.enqueue('x', '{"n": 1}', order_key => 'line');
create table holdfast.woken (queue text);
grant all on holdfast.woken to public;
create or replace function holdfast.notify_ready(queues text[]) returns void language sql as $$
  insert into holdfast.woken select unnest(queues)
$$;
"""
PAYLOADS = ['{"n": 1}', '{"n": 1}', to_json({"text": "a" * 3000}), '{"n": 2}']
CHOICES: dict[str, list[Any]] = {
    "queue": ["new", "newer", "aged", "noted", "calls", "silent"],
    "priority": [0, 7, 100],
    "delay": [0, 3600.5],
    "run_at": ["2999-01-01T00:00:00+00:00", "2001-01-01T00:00:00+00:00"],
    "unique_key": ["a", "b", "taken"],
    "order_key": ["line", "other"],
    "run": ["open", "capped"],
    "labels": [{"a": [1]}, {}],
    "timeout": [9.5],
    "deadline": ["2999-01-01T00:00:00+00:00"],
    "group": ["g", "h"],
    "endpoint": ["model", "other model"],
    "max_failures": [1, 9],
    "retry": ["posts", [1, 2], {"base": 1, "factor": 2, "cap": 9, "jitter": 0, "tries": 2}],
    "trace": [f"00-{'a' * 32}-{'1' * 16}-01", f"00-{'b' * 32}-{'2' * 16}-00"],
}
WITH_KEY: dict[str, list[Any]] = {"unique_for": ["live", "forever", "600"], "unique_scope": ["s"]}
WRONG: list[Options] = [
    {"queue": ""},
    {"queue": "q" * 201},
    {"queue": "q" * 900},
    {"priority": 101},
    {"priority": -1},
    {"delay": 1e300},
    {"delay": 10**11},
    {"run_at": "infinity"},
    {"deadline": "11111-01-01"},
    {"unique_key": ""},
    {"unique_key": "k" * 5000},
    {"unique_key": "k", "unique_for": "a while"},
    {"unique_key": "k", "unique_scope": "s" * 5000},
    {"unique_key": "taken"},
    {"order_key": "o" * 5000},
    {"run": "01900000-0000-7000-8000-000000000000"},
    {"run": "sealed"},
    {"labels": [1]},
    {"labels": {"a": "x" * 20000}},
    {"labels": {"a": 10**400}},
    {"timeout": 0},
    {"timeout": 10**11},
    {"group": "g" * 5000},
    {"endpoint": "e" * 5000},
    {"max_failures": 0},
    {"max_failures": 40000},
    {"retry": "no-such-preset"},
    {"trace": "00-abc"},
    {"queue": "narrow"},
]


@pytest.mark.parametrize("seed", range(40))
async def test_jobs_are_the_same_whatever_the_way(conn: Connection, seed: int) -> None:
    chance = Random(f"ways {seed}")
    runs = await a_scene(conn)
    options = [with_runs(some_options(chance), runs) for _ in PAYLOADS]
    ways: list[Way] = [each_its_own, columns, one_by_one, with_arguments]
    outcomes = [await outcome(conn, way, PAYLOADS, options) for way in ways]
    if seed % 2:
        options = options[:1] * len(PAYLOADS)
        outcomes = [await outcome(conn, way, PAYLOADS, options) for way in [*ways, alike]]
    for got in outcomes[1:]:
        assert got == outcomes[0]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: to_json(wrong)[:30])
async def test_a_job_is_refused_in_the_same_words_whatever_the_way(conn: Connection, wrong: Options) -> None:
    runs = await a_scene(conn)
    payloads, options = [to_json({"text": "a" * 1500})], [with_runs(wrong, runs)]
    ways: list[Way] = [each_its_own, columns, one_by_one, alike]
    refusals = [await outcome(conn, way, payloads, options) for way in ways]
    assert isinstance(refusals[0], str), "it was stored"
    assert refusals == refusals[:1] * len(ways)


async def test_jobs_stored_together_keep_their_order(conn: Connection) -> None:
    enqueue = "select job_id from holdfast.enqueue_jobs(array['x'], $1::json[])"
    ids = [row["job_id"] for row in await conn.fetch(enqueue, ["{}"] * 100)]
    ranked = await conn.fetch("select id from holdfast.jobs order by rank_at, id")
    assert [row["id"] for row in ranked] == ids


async def a_scene(conn: Connection) -> dict[str, str]:
    """Queues and a task with policies, jobs that hold keys, and runs by the names that options give them."""
    clock = await install_fake_clock(conn)
    # The jobs of one call rank a microsecond apart: a whole second keeps them within one millisecond.
    await clock.set((await clock.now()).replace(microsecond=0))
    await conn.execute(SCENE)
    runs = {
        "open": await an_open_run(conn),
        "capped": await an_open_run(conn, budget=5),
        "sealed": await an_open_run(conn),
    }
    await conn.execute("select holdfast.seal_run($1)", runs["sealed"])
    return {name: str(run) for name, run in runs.items()}


def some_options(chance: Random) -> Options:
    options = {name: chance.choice(values) for name, values in CHOICES.items() if chance.random() < 0.25}
    if "unique_key" in options:
        options |= {name: chance.choice(values) for name, values in WITH_KEY.items() if chance.random() < 0.4}
    return options


def with_runs(options: Options, runs: dict[str, str]) -> Options:
    return {name: runs.get(value, value) if name == "run" else value for name, value in options.items()}


async def outcome(conn: Connection, way: Way, payloads: list[str], options: list[Options]) -> Any:
    """What is stored and told, or the words of the refusal; nothing of it is kept."""
    trial = conn.transaction()
    await trial.start()
    try:
        told = await way(conn, payloads, options)
        stored = [dict(row) for row in await conn.fetch(STORED, [job for job, _ in told])]
        woken = await conn.fetch("select distinct queue from holdfast.woken order by queue")
        totals = await conn.fetch("select run_id, sum(total) from holdfast.run_deltas group by 1 order by 1")
        first = {job: number for number, (job, _) in reversed([*enumerate(told)])}
        answers = [(first[job], created) for job, created in told]
        return [*(f"{row}: {value}" for job in stored for row, value in job.items()), answers, woken, totals]
    except asyncpg.PostgresError as exc:
        return words(exc.sqlstate, exc.args[0])
    except HoldfastError as exc:
        cause = exc.__cause__
        assert isinstance(cause, asyncpg.PostgresError)
        return words(cause.sqlstate, cause.args[0])
    finally:
        await trial.rollback()


def words(state: str | None, message: str) -> str:
    """Of several keys in conflict any may be named: a call takes them in sorted order."""
    assert (state or "").startswith("HF"), message
    return "a conflict" if state == "HF003" else f"{state}: {message}"
