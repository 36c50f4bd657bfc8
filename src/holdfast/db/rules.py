"""The verbs on rules."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast.db.read_rows import read_all
from holdfast.db.statement import Executor, Fetcher, fetch_value
from holdfast.model.audit import SettingChange
from holdfast.model.payload import JsonText, decode
from holdfast.model.rule import Rule, RuleOwner, RuleTest, TestedRule

SET = """
select setting, before, after
from holdfast.set_rule($1::text, $2::text, $3::text, $4::jsonb, $5::text, $6::text)
"""
SET_RULE_SET = """
select setting, before, after from holdfast.set_rule_set($1::text, $2::text, $3::jsonb, $4::text, $5::text)
"""
REMOVE = "select holdfast.remove_rule($1::text, $2::text, $3::text, $4::text, $5::text)"
TEST = "select holdfast.test_rules($1::text, $2::text::json, $3::jsonb)"
# The fields of Rule, in their order.
LIST = """
select kind, owner, name, position, condition, points, queue, is_enabled, base, overrides
from holdfast.rule_view
where ($1::text is null or kind = $1)
  and ($2::text is null or owner = $2)
order by kind, owner, position, name
limit $3
"""

Policy = Mapping[str, Any]


async def set_rule(
    on: Fetcher, kind: RuleOwner, owner: str, name: str, policy: Policy, reason: str | None, actor: str
) -> list[SettingChange]:
    """Adds the rule if there is none of that name; only the keys given are changed."""
    return await read_all(on, SettingChange, SET, kind, owner, name, json.dumps(policy), reason, actor)


async def set_rule_set(
    on: Fetcher, kind: RuleOwner, owner: str, policy: Policy, reason: str | None, actor: str
) -> list[SettingChange]:
    return await read_all(on, SettingChange, SET_RULE_SET, kind, owner, json.dumps(policy), reason, actor)


async def remove_rule(
    on: Executor, kind: RuleOwner, owner: str, name: str, reason: str | None, actor: str
) -> bool:
    """Whether there was one."""
    return bool(await fetch_value(on, REMOVE, kind, owner, name, reason, actor))


async def list_rules(on: Fetcher, kind: RuleOwner | None, owner: str | None, limit: int) -> list[Rule]:
    """In the order in which they are evaluated."""
    return await read_all(on, Rule, LIST, kind, owner, limit)


async def test_rules(on: Executor, task: str, payload: JsonText, options: Policy) -> RuleTest:
    found = decode(await fetch_value(on, TEST, task, payload, json.dumps(options)))
    rules = tuple(TestedRule(**one) for one in found["rules"])
    return RuleTest(found["queue"], found["priority"], found["of"], rules)
