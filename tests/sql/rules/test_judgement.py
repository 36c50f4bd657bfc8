"""Which queue and priority rules give a new job, and what wins over them."""

import json
from typing import Any

import pytest

from holdfast.db.connect import Connection
from tests.builders import complete, dead_job, running_job
from tests.sql.rules.scene import a_rule, a_set, judged, stored

VERBS = [
    "enqueue_one('capture', '{}', $1)",
    "enqueue_jobs(array['capture'], array['{}', '{}']::json[], $1)",
    "enqueue_columns(array['capture'], array['{}', '{}']::json[], $1, priority => array[1, 2])",
]
LARGE = "$.payload.size == 'large'".replace("'", '"')


async def test_points_add_up_from_the_base_and_stay_within_0_and_100(conn: Connection) -> None:
    await a_set(conn, base=90)
    await a_rule(conn, "large", condition=LARGE, points=7)
    await a_rule(conn, "many", condition="$.payload.n > 10", points=40)
    await a_rule(conn, "none", condition="$.payload.n == 0", points=-100)
    assert await stored(conn, {"n": 1}) == ("default", 90, None)
    assert await stored(conn, {"n": 1, "size": "large"}) == ("default", 97, ["large"])
    assert await stored(conn, {"n": 11, "size": "large"}) == ("default", 100, ["large", "many"])
    assert await stored(conn, {"n": 0}) == ("default", 0, ["none"])


async def test_without_a_base_points_are_added_to_the_priority_that_the_job_would_have(
    conn: Connection,
) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7)
    assert (await stored(conn, {"size": "large"}))[1] == 57
    assert (await stored(conn, {"size": "large"}, default_priority=20))[1] == 27
    await conn.execute("""select holdfast.set_task('capture', '{"priority": 30}')""")
    assert (await stored(conn, {"size": "large"}))[1] == 37


async def test_a_priority_of_the_caller_wins_unless_the_set_overrides_it(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7)
    assert await stored(conn, {"size": "large"}, priority=3) == ("default", 3, ["large"])
    await a_set(conn, base=10, overrides=True)
    assert await stored(conn, {"size": "large"}, priority=3) == ("default", 17, ["large"])


async def test_the_first_route_that_matches_sets_the_queue(conn: Connection) -> None:
    await a_rule(conn, "second", condition="$.payload.n > 1", queue="b", position=20)
    await a_rule(conn, "first", condition="$.payload.n > 5", queue="a", position=10)
    assert (await stored(conn, {"n": 9}))[0] == "a"
    assert (await stored(conn, {"n": 2}))[0] == "b"
    assert (await stored(conn, {"n": 0}))[0] == "default"
    await a_rule(conn, "second", position=5)
    assert (await stored(conn, {"n": 9}))[0] == "b"


async def test_a_queue_of_the_caller_wins_and_that_of_the_task_does_not(conn: Connection) -> None:
    await a_rule(conn, "all", condition="exists ($)", queue="routed")
    await conn.execute("""select holdfast.set_task('capture', '{"queue": "own"}')""")
    assert (await stored(conn))[0] == "routed"
    assert (await stored(conn, default_queue="declared"))[0] == "routed"
    assert (await stored(conn, queue="named", default_queue="declared"))[0] == "named"
    await a_rule(conn, "all", enabled=False)
    assert (await stored(conn, default_queue="declared"))[0] == "declared"
    assert (await stored(conn))[0] == "own"


async def test_the_rules_of_the_task_judge_before_those_of_the_queue(conn: Connection) -> None:
    await a_rule(conn, "of queue", "queue q", condition="exists ($)", points=1)
    await a_rule(conn, "of target", "queue t", condition="exists ($)", points=10)
    assert await stored(conn, queue="q") == ("q", 51, ["of queue"])
    await a_rule(conn, "of task", condition="exists ($)", points=2, queue="t")
    assert await stored(conn, default_queue="q") == ("t", 52, ["of task"])


async def test_every_fact_can_be_looked_at(conn: Connection) -> None:
    facts = [
        "$.payload.a[1] == 5",
        '$.labels.region == "eu"',
        '$.task == "capture"',
        '$.queue == "q"',
        '$.origin == "import"',
        "$.size == 16",
        '$.now.datetime() > "2020-01-01T00:00:00+00".datetime()',
        "$.hour >= 0 && $.hour < 24",
        "$.weekday >= 1 && $.weekday <= 7",
    ]
    for number, fact in enumerate(facts):
        await a_rule(conn, str(number), condition=fact, points=1)
    _, _, rules = await stored(
        conn, {"a": [4, 5, 6]}, default_queue="q", labels={"region": "eu"}, origin="import"
    )
    assert rules == [str(number) for number in range(len(facts))]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
async def test_times_are_utc_in_any_session(conn: Connection, zone: str) -> None:
    await conn.execute(f"set local timezone = '{zone}'")
    await a_rule(
        conn,
        "noon",
        condition='$.payload.at.datetime() == "2030-01-01T12:00:00+00".datetime()',
        points=1,
    )
    assert (await stored(conn, {"at": "2030-01-01T12:00:00"}))[2] == ["noon"]
    assert await conn.fetchval("show timezone") == zone


async def test_jobs_of_one_call_are_judged_each_by_its_own_set(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7, queue="bulk")
    await a_rule(conn, "odd", "queue q", condition="$.payload.n == 1", points=20)
    payloads = [{"size": "large"}, {}, {"n": 1}, {"size": "large"}, {"size": "large"}]
    tasks = ["capture", "capture", "other", "plain", "capture"]
    each: list[dict[str, Any]] = [{}, {"priority": 5}, {"queue": "q"}, {}, {"queue": "mine", "priority": 1}]
    rows = await conn.fetch(
        "select job_id from holdfast.enqueue_jobs($1, $2::json[], '{}', $3::jsonb[])",
        tasks,
        [json.dumps(one) for one in payloads],
        [json.dumps(one) for one in each],
    )
    assert [await judged(conn, row["job_id"]) for row in rows] == [
        ("bulk", 57, ["large"]),
        ("default", 5, None),
        ("q", 70, ["odd"]),
        ("default", 50, None),
        ("mine", 1, ["large"]),
    ]


async def test_a_routed_job_has_the_lane_and_the_limits_of_its_queue(conn: Connection) -> None:
    policy = {"endpoint": "slow", "timeout": 77, "payload_limit": 30}
    await conn.execute("select holdfast.declare_queue('bulk', $1)", json.dumps(policy))
    await a_rule(conn, "all", condition="exists ($)", queue="bulk")
    job = await conn.fetchval("select holdfast.enqueue('capture')")
    row = await conn.fetchrow(
        "select l.queue, l.endpoint, extract(epoch from j.timeout)::integer as timeout"
        " from holdfast.jobs j join holdfast.lanes l using (lane) where j.id = $1",
        job,
    )
    assert row is not None
    assert tuple(row) == ("bulk", "slow", 77)
    assert await conn.fetchval("select count(*) from holdfast.queues where name = 'default'") == 0
    with pytest.raises(Exception, match="the queue bulk allows only 30"):
        await conn.execute("select holdfast.enqueue('capture', $1)", json.dumps({"text": "x" * 30}))


async def test_points_changed_at_run_time_change_the_next_score(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7)
    before = await stored(conn, {"size": "large"})
    assert await a_rule(conn, "large", points=9) == {"points": (7, 9)}
    after = await stored(conn, {"size": "large"})
    assert (before[1], after[1]) == (57, 59)


async def test_children_are_judged_and_inherit_only_what_no_rule_says(conn: Connection) -> None:
    await a_rule(conn, "all", condition="exists ($)", points=5, queue="bulk")
    parent = await running_job(conn, task="parent", priority=20)
    await conn.execute(
        "select holdfast.spawn_children($1, $2, 'x', array['capture', 'plain'], array['{}', '{}']::json[])",
        parent.id,
        parent.token,
    )
    rows = await conn.fetch("select task, queue, priority from holdfast.jobs where parent_id = $1", parent.id)
    assert {tuple(row) for row in rows} == {("capture", "bulk", 25), ("plain", "default", 20)}


async def test_a_replay_and_a_replacement_are_not_judged_again(conn: Connection) -> None:
    job = (await dead_job(conn, task="capture")).id
    await a_rule(conn, "all", condition="exists ($)", points=5, queue="bulk")
    await a_set(conn, overrides=True)
    new = await conn.fetchval("select holdfast.replace_job($1, '{}', 'why')", job)
    assert await judged(conn, new) == ("default", 50, None)
    other = (await dead_job(conn, task="capture", rules=False)).id
    await conn.execute("select holdfast.replay_jobs(array[$1::uuid])", other)
    assert await judged(conn, other) == ("default", 50, None)


async def test_matched_rules_follow_the_job_into_history_and_back(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7, queue="bulk")
    job = await running_job(conn, payload={"size": "large"}, task="capture", queue="bulk")
    await complete(conn, job)
    words = "The rules of the task capture matched: large; priority 57."
    rows = await conn.fetch("select what, words from holdfast.timeline($1)", job.id)
    assert ("rules", words) in [tuple(row) for row in rows]
    remarks = await conn.fetch("select blocker, detail, blocks from holdfast.explain($1)", job.id)
    assert tuple(remarks[-1]) == ("rules", words, False)
    await conn.execute("select holdfast.replay_jobs(array[$1::uuid])", job.id)
    assert (await judged(conn, job.id))[2] == ["large"]


async def test_explain_names_the_rules_of_a_job_that_waits(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7, queue="bulk")
    job = await conn.fetchval("select holdfast.enqueue('capture', '{\"size\": \"large\"}')")
    rows = await conn.fetch("select blocker, detail, blocks from holdfast.explain($1)", job)
    words = "The rules of the task capture matched: large; priority 57; queue bulk."
    assert ("rules", words, False) in [tuple(row) for row in rows]


async def test_a_call_creates_the_lanes_of_rules_and_callers_in_one_order(conn: Connection) -> None:
    await a_rule(conn, "all", condition="exists ($)", queue="a")
    await conn.execute(
        "select count(*) from holdfast.enqueue_columns(array['plain', 'capture'], array['{}', '{}']::json[],"
        " queue => array['b', null])"
    )
    rows = await conn.fetch("select queue from holdfast.lanes where queue in ('a', 'b') order by lane")
    assert [row["queue"] for row in rows] == ["a", "b"]


async def test_each_job_of_a_call_has_its_own_outcome(conn: Connection) -> None:
    await a_rule(conn, "large", condition=LARGE, points=7, queue="bulk")
    await a_rule(conn, "mail", of="queue mail", condition='$.queue == "mail" && $.size > 1', points=-7)
    rows = await conn.fetch(
        "select job_id from holdfast.enqueue_columns("
        "array['capture', 'capture', 'capture', 'plain', 'plain'],"
        """ array['{"size": "large"}', '{}', '{"size": "large"}', '{}', '{}']::json[],"""
        " queue => array[null, null, 'own', 'mail', 'own'], priority => array[null, null, 3, null, 4])"
    )
    assert [await judged(conn, row["job_id"]) for row in rows] == [
        ("bulk", 57, ["large"]),
        ("default", 50, None),
        ("own", 3, ["large"]),
        ("mail", 43, ["mail"]),
        ("own", 4, None),
    ]


@pytest.mark.parametrize("beside", ["$.payload.n == 0", '$.task == "other"'], ids=["content", "all"])
async def test_what_is_in_a_job_is_the_same_fact_whatever_the_other_rules_look_at(
    conn: Connection, beside: str
) -> None:
    await a_rule(conn, "size", condition="$.size == 8", points=1)
    await a_rule(conn, "labels", condition='$.labels.plan == "paid"', points=2)
    await a_rule(conn, "no labels", condition="!exists ($.labels.plan)", points=4)
    await a_rule(conn, "beside", condition=beside, points=8)
    assert await stored(conn, {"n": 1}) == ("default", 55, ["size", "no labels"])
    assert await stored(conn, {"n": 2}, labels={"plan": "paid"}) == ("default", 53, ["size", "labels"])


@pytest.mark.parametrize(
    ("condition", "reads"),
    [
        ("$.payload.n == 1 || $.payload.n > 3", "payload"),
        ('$.payload.list[*] ? (@.a == "$").b == 1', "all"),  # a dollar in a string could be anything
        ("$.payload.n == 1 && $.size > 3", "size"),
        ("$.labels.payload == 1", "shared"),
        ("$.payload.hour > 3 && $.hour > 3", "shared"),
        ("$.payloads == 1", "all"),
        ("exists ($)", "payload"),  # as true of the payload
        ("exists ($ ? (@.payload == 1))", "all"),
        ("$.payload.keyvalue().id == 1", "all"),  # its ids depend on the root
        ("exists ($.* ? (@.payload == 1))", "all"),
    ],
)
async def test_a_rule_knows_which_facts_it_reads(conn: Connection, condition: str, reads: str) -> None:
    await a_rule(conn, "one", condition=condition, points=1)
    assert await conn.fetchval("select reads from holdfast.rules") == reads


async def test_a_bulk_of_which_all_or_some_jobs_are_routed(conn: Connection) -> None:
    await a_rule(conn, "large", condition="$.payload.n > 1", queue="bulk")
    for first, queue in [(2, "bulk"), (1, "default")]:
        rows = await conn.fetch(
            "select * from holdfast.enqueue_jobs(array['capture'], array[$1, $2]::text[]::json[])",
            json.dumps({"n": first}),
            json.dumps({"n": 3}),
        )
        assert [(await judged(conn, row["job_id"]))[0] for row in rows] == [queue, "bulk"]
        assert [row["route"] for row in rows] == [queue if first == 2 else None, "bulk"]


@pytest.mark.parametrize(
    ("options", "route"),
    [({}, "bulk"), ({"default_queue": "mail"}, "bulk"), ({"queue": "mail"}, None), ({"queue": "bulk"}, None)],
)
async def test_every_verb_returns_the_queue_that_a_rule_chose_and_no_other(
    conn: Connection, options: dict[str, str], route: str | None
) -> None:
    await a_rule(conn, "all", condition="exists ($)", queue="bulk")
    for call in VERBS:
        found = await conn.fetch(f"select route from holdfast.{call}", json.dumps(options))
        assert [row["route"] for row in found] == [route] * len(found), call
        again = await conn.fetch(
            f"select route from holdfast.{call}", json.dumps({**options, "rules": False})
        )
        assert {row["route"] for row in again} == {None}, call
