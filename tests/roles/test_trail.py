"""The audit trail is insert-only: no role but the owner may change or delete an event or a seal."""

import pytest

from holdfast.db.connect import Connection
from tests.builders import refusal

DENIED = "42501"
NOT_A_TABLE = "55000"  # event_view is a union, which even the owner cannot change
ROLES = ["holdfast_producer", "holdfast_worker", "holdfast_operator", "holdfast_viewer"]
COLUMN = {
    "events": "cause",
    "event_seals": "seal",
    "event_view": "cause",
    "audit_view": "cause",
    "seal_view": "seal",
}
# Everything that a role might be granted on the two tables.
GRANTED = """
select r.role, c.relname, p.privilege
from unnest($1::text[]) as r (role)
cross join unnest(array['insert', 'update', 'delete', 'truncate', 'trigger', 'select']) as p (privilege)
cross join pg_class as c
where c.relnamespace = 'holdfast'::regnamespace
  and c.relname in ('events', 'event_seals')
  and (has_table_privilege(r.role, c.oid, p.privilege) or has_table_privilege('public', c.oid, p.privilege))
"""


async def test_no_role_has_a_right_on_the_tables_of_the_trail(conn: Connection) -> None:
    assert await conn.fetch(GRANTED, ROLES) == []


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("relation", COLUMN)
@pytest.mark.parametrize("change", ["update holdfast.{0} set {1} = 'x'", "delete from holdfast.{0}"])
async def test_no_role_may_change_or_delete_an_event_or_a_seal(
    conn: Connection, role: str, relation: str, change: str
) -> None:
    await conn.execute("select holdfast.pause_all_queues('lunch', 'Ada')")
    await conn.execute(f"set local role {role}")
    refused = await refusal(conn, change.format(relation, COLUMN[relation]))
    assert refused.sqlstate == (NOT_A_TABLE if relation == "event_view" else DENIED)


@pytest.mark.parametrize(
    ("verb", "allowed"),
    [
        ("seal_events()", {"holdfast_worker", "holdfast_operator"}),
        ("verify_events()", {"holdfast_viewer", "holdfast_operator"}),
        ("list_events()", {"holdfast_viewer", "holdfast_operator"}),
        ("set_queue('q', '{}')", {"holdfast_operator"}),
        ("set_task('t', '{}')", {"holdfast_operator"}),
        ("set_endpoint('e', '{}')", {"holdfast_operator"}),
        ("prune_events(now(), 1)", set()),
        ("record_event('x')", set()),
    ],
)
async def test_each_role_may_call_the_verbs_of_its_work(
    conn: Connection, verb: str, allowed: set[str]
) -> None:
    for role in ROLES:
        await conn.execute(f"set local role {role}")
        if role in allowed:
            await conn.execute(f"select holdfast.{verb}")
        else:
            assert (await refusal(conn, f"select holdfast.{verb}")).sqlstate == DENIED, role
        await conn.execute("reset role")
