"""Rules of tasks and queues: read, changed, tested and imported."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypedDict, Unpack

from holdfast.client.connection_pools import Links
from holdfast.client.enqueue_options import NONE, GivenOptions, with_options
from holdfast.db import rules
from holdfast.db.connect import Database
from holdfast.db.statement import Executor
from holdfast.model.audit import SettingChange
from holdfast.model.error import Conflict, InvalidInput, InvalidOption, NotFound
from holdfast.model.payload import encode
from holdfast.model.rule import Rule, RuleOwner, RuleTest

MOST_RULES = 1000
PRESETS = files("holdfast.client") / "rule_presets"
ENDING = ".toml"


class RulePolicy(TypedDict, total=False):
    """The settings of a rule."""

    condition: str  # a jsonpath predicate over the facts of a job
    points: int | None  # added to the score of jobs that match
    queue: str | None  # for jobs that match and whose caller named none
    position: int  # the first match with a queue decides
    enabled: bool


class RuleSetPolicy(TypedDict, total=False):
    """The settings that the rules of a task or queue share."""

    base: int | None  # where the score starts; None: at the priority that the job would have without rules
    overrides: bool  # the score replaces a priority that the caller gave


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A set of rules as a file or preset describes it."""

    policy: Mapping[str, Any]
    rules: tuple[Mapping[str, Any], ...]

    def with_routes(self, routes: Mapping[str, str]) -> "RuleFile":
        """With other names for its queues."""
        unknown = routes.keys() - {rule.get("queue") for rule in self.rules}
        if unknown:
            raise InvalidOption(
                f"No rule of the file has the queue {', '.join(sorted(unknown))}.",
                f"the queues are {', '.join(sorted({r['queue'] for r in self.rules if 'queue' in r}))}",
            )
        renamed = (
            {**r, "queue": routes.get(r["queue"], r["queue"])} if "queue" in r else r for r in self.rules
        )
        return RuleFile(self.policy, tuple(renamed))


class RuleActions:
    """Available as `app.rules`. `kind` is "task" or "queue", `owner` the name of that task or queue."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def list_rules(self, kind: str | None = None, owner: str | None = None) -> list[Rule]:
        """In the order in which they are evaluated."""
        of = None if kind is None else read_kind(kind)
        return await rules.list_rules(self._database, of, owner, MOST_RULES)

    async def set_rule(
        self, kind: str, owner: str, name: str, reason: str | None = None, **policy: Unpack[RulePolicy]
    ) -> list[SettingChange]:
        """Adds the rule if there is none of that name; only what is given is changed."""
        return await rules.set_rule(
            self._database, read_kind(kind), owner, name, policy, reason, self._links.name
        )

    async def set_rule_set(
        self, kind: str, owner: str, reason: str | None = None, **policy: Unpack[RuleSetPolicy]
    ) -> list[SettingChange]:
        return await rules.set_rule_set(
            self._database, read_kind(kind), owner, policy, reason, self._links.name
        )

    async def remove_rule(self, kind: str, owner: str, name: str, reason: str | None = None) -> bool:
        """Whether there was one."""
        return await rules.remove_rule(self._database, read_kind(kind), owner, name, reason, self._links.name)

    async def test_rules(self, task: str, payload: Any, **options: Unpack[GivenOptions]) -> RuleTest:
        """What the rules would do with a job; stores none."""
        return await rules.test_rules(self._database, task, encode(payload), with_options(NONE, options))

    async def import_rules(
        self,
        kind: str,
        owner: str,
        source: str | Path,
        routes: Mapping[str, str] | None = None,
        reason: str | None = None,
    ) -> dict[str, list[SettingChange]]:
        """Sets the rules of a preset, or of a file of yours; all or none. Repeated, it changes nothing."""
        found = read_rules(source).with_routes(routes or {})
        return await import_rules(self._database, read_kind(kind), owner, found, reason, self._links.name)

    @property
    def _database(self) -> Database:
        return self._links.here().database


def read_kind(kind: str) -> RuleOwner:
    try:
        return RuleOwner(kind)
    except ValueError:
        raise InvalidOption(
            f"Rules belong to a task or a queue (got {kind!r}).", 'pass "task" or "queue"'
        ) from None


async def add_rule(
    database: Database,
    kind: RuleOwner,
    owner: str,
    name: str,
    policy: Mapping[str, Any],
    reason: str | None,
    actor: str,
) -> list[SettingChange]:
    """set_rule for a name that is not taken; raises Conflict, and undoes the change.

    Two callers at once wait for each other in set_rule, so a check before it could miss the other's rule.
    """
    async with database.transaction() as conn:
        changes = await rules.set_rule(conn, kind, owner, name, policy, reason, actor)
        # Every rule has a condition, so only a new one had none before.
        if not any(change.setting == "condition" and change.before is None for change in changes):
            raise Conflict(
                f"The {kind} {owner} already has a rule {name}.", "change it with 'holdfast rules set'"
            )
    return changes


async def change_rule(
    on: Executor,
    kind: RuleOwner,
    owner: str,
    name: str,
    policy: Mapping[str, Any],
    reason: str | None,
    actor: str,
) -> list[SettingChange]:
    """set_rule for a rule that exists; raises NotFound."""
    if not await _has_rule(on, kind, owner, name):
        raise _unknown(kind, owner, name)
    return await rules.set_rule(on, kind, owner, name, policy, reason, actor)


async def remove_rule(
    on: Executor, kind: RuleOwner, owner: str, name: str, reason: str | None, actor: str
) -> None:
    """Raises NotFound."""
    if not await rules.remove_rule(on, kind, owner, name, reason, actor):
        raise _unknown(kind, owner, name)


async def _has_rule(on: Executor, kind: RuleOwner, owner: str, name: str) -> bool:
    return any(rule.name == name for rule in await rules.list_rules(on, kind, owner, MOST_RULES))


def _unknown(kind: RuleOwner, owner: str, name: str) -> NotFound:
    return NotFound(
        f"The {kind} {owner} has no rule {name}.", f"'holdfast rules list --{kind} {owner}' shows its rules"
    )


async def import_rules(
    database: Database, kind: RuleOwner, owner: str, found: RuleFile, reason: str | None, actor: str
) -> dict[str, list[SettingChange]]:
    """Sets every rule of the file, all or none; repeated, it changes nothing.

    Rules that the file does not name stay. The result names what changed: "" is the set itself.
    """
    async with database.transaction() as conn:
        done = {"": await rules.set_rule_set(conn, kind, owner, found.policy, reason, actor)}
        for rule in found.rules:
            policy = {key: value for key, value in rule.items() if key != "name"}
            done[rule["name"]] = await rules.set_rule(conn, kind, owner, rule["name"], policy, reason, actor)
    return {name: changes for name, changes in done.items() if changes}


def presets() -> list[str]:
    return sorted(one.name.removesuffix(ENDING) for one in PRESETS.iterdir() if one.name.endswith(ENDING))


def read_rules(source: str | Path) -> RuleFile:
    """A preset by its name, else a TOML file. Positions rise by ten in the order of the file."""
    text = _text_of(source)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise InvalidInput(f"{source} is not TOML: {exc}.", "correct the file") from None
    listed = found.pop("rules", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) and one.get("name") for one in listed):
        raise InvalidInput(
            f"{source} has a rule without a name.", "give each [[rules]] a name, a condition and an effect"
        )
    numbered = ({"position": 10 * number, **rule} for number, rule in enumerate(listed, 1))
    return RuleFile(found, tuple(numbered))


def _text_of(source: str | Path) -> str:
    if str(source) in presets():
        return (PRESETS / f"{source}{ENDING}").read_text(encoding="utf-8")
    try:
        return Path(source).read_text(encoding="utf-8")
    except OSError as exc:
        raise InvalidInput(
            f"{source} cannot be read: {exc.strerror}.",
            f"pass a TOML file, or the name of a preset: {', '.join(presets())}",
        ) from None
    except UnicodeDecodeError as exc:
        raise InvalidInput(
            f"{source} is not UTF-8: byte {exc.start} is invalid.", "save it as UTF-8"
        ) from None
