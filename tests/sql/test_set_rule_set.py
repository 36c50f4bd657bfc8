"""The settings that the rules of a task or queue share."""

from holdfast.db.connect import Connection
from tests.builders import refusal
from tests.sql.rules.scene import a_rule, a_set, stored


async def test_the_base_holds_while_a_rule_is_enabled_and_null_takes_it_back(conn: Connection) -> None:
    await a_set(conn, base=9)
    assert (await stored(conn))[1] == 50
    await a_rule(conn, "none", condition="$.payload.n == 1", points=1)
    assert (await stored(conn))[1] == 9
    await a_set(conn, base=None)
    assert (await stored(conn))[1] == 50


async def test_an_unknown_setting_or_a_base_out_of_range_is_refused(conn: Connection) -> None:
    for policy in ('{"colour": 1}', '{"base": 101}', '{"overrides": "perhaps"}'):
        error = await refusal(conn, "select holdfast.set_rule_set('task', 'x', $1)", policy)
        assert error.sqlstate == "HF002"
