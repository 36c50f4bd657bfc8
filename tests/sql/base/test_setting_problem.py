"""setting_problem: what PostgreSQL refuses becomes a sentence without its words."""

from holdfast.db.connect import Connection

# Holdfast sets these columns itself; no caller can break them.
OWN = {
    "queue_own_detail_holds",
    "schedule_problem_is_told",
    "schedule_state_has_slot",
    "schedule_state_known",
    "pipeline_version_positive",
    "endpoint_in_flight_not_negative",
}
UNNAMED = """
select c.conname, holdfast.setting_problem(format('… "%s"', c.conname)) as words
from pg_constraint as c
where c.contype = 'c'
  and c.conrelid = any ('{holdfast.queues, holdfast.tasks, holdfast.endpoints, holdfast.pipelines,
    holdfast.stages, holdfast.rule_sets, holdfast.rules, holdfast.rebalance_pairs,
    holdfast.schedules}'::regclass[])
"""


async def test_every_constraint_on_a_setting_has_a_sentence(conn: Connection) -> None:
    found = {row["conname"]: row["words"] for row in await conn.fetch(UNNAMED)}
    assert found.keys() > OWN
    assert [name for name, words in found.items() if name in words and name not in OWN] == []


async def test_a_value_that_fits_no_constraint_is_quoted(conn: Connection) -> None:
    problem = "select holdfast.setting_problem($1)"
    null = 'null value in column "position" of relation "rules" violates not-null constraint'
    assert await conn.fetchval(problem, null) == "position must have a value"
    wrong = 'invalid input syntax for type smallint: "many"'
    assert await conn.fetchval(problem, wrong) == '"many" is not a valid value'
    assert await conn.fetchval(problem, "smallint out of range") == "smallint out of range"
