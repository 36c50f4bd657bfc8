"""Rules for people: list, add, change, remove, and what they would do with a job."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from holdfast.api.request.access import Access
from holdfast.api.request.answer import answer
from holdfast.api.request.body import OBJECT, REASON, SETTINGS, TEXT, VALUE, Body, check_value
from holdfast.api.request.pages import Cursor, Size, page_by_place, paged
from holdfast.api.request.routes import CHANGES, Reason, Route, router
from holdfast.api.request.sample import sample
from holdfast.client.app import Holdfast
from holdfast.client.rules import add_rule, change_rule, import_rules, presets, read_rules, remove_rule
from holdfast.db import rules
from holdfast.model.access_key import AccessAction
from holdfast.model.error import InvalidOption
from holdfast.model.payload import encode
from holdfast.model.rule import Rule, RuleOwner, RuleTest, TestedRule

Kind = Annotated[RuleOwner, Path(description="What the rule belongs to.")]
OfKind = Annotated[RuleOwner | None, Query(description="Only rules of tasks, or of queues.")]
OfOwner = Annotated[str | None, Query(description="Only rules of the task or queue with this name.")]
POLICY = {"condition": '$.payload.size == "large"', "points": 10}
ADD = Body(
    {"kind": {"type": "string", "enum": [*RuleOwner]}, "owner": TEXT, "name": TEXT, **SETTINGS},
    ["kind", "owner", "name", "settings"],
    {"kind": "task", "owner": "capture", "name": "large", "settings": POLICY, "reason": "large ones first"},
)
CHANGE = Body(SETTINGS, ["settings"], {"settings": {"enabled": False}, "reason": "no longer needed"})
IMPORT = Body(
    {
        "kind": {"type": "string", "enum": [*RuleOwner]},
        "owner": TEXT,
        "preset": TEXT,
        "routes": OBJECT,
        "reason": REASON,
    },
    ["kind", "owner", "preset"],
    {"kind": "task", "owner": "capture", "preset": "repo-capture", "routes": {"bulk": "nightly"}},
)
TRY = Body(
    {
        "task": TEXT,
        "payload": VALUE,
        "queue": TEXT,
        "priority": {"type": "integer"},
        "labels": OBJECT,
        "origin": TEXT,
    },
    ["task"],
    {"task": "capture", "payload": {"size": "large"}},
)


IMPORTED = {"name": "task capture", "rules": ["priority-high"], "changed": ["priority-high"]}


class Rules:
    """All need a key for all queues and tasks: a rule may route jobs to any queue."""

    def __init__(self, app: Holdfast, access: Access) -> None:
        self._app, self._access = app, access

    def routes(self) -> APIRouter:
        rule = sample(Rule, owner="capture", name="large", condition=POLICY["condition"], points=10)
        tested = sample(TestedRule, name="large", condition=POLICY["condition"], matched=True)
        changes = {**CHANGES, "name": "large"}
        path = "/rules/{kind}/{owner}/{name}"
        return router(
            "rules",
            Route("GET", "/rules", self.find, paged("rules", rule, "100")),
            Route("POST", "/rules", self.add, changes, ADD, status=201),
            Route(
                "POST", "/rules/test", self.test, {**sample(RuleTest, queue="bulk"), "rules": [tested]}, TRY
            ),
            Route("POST", "/rules/import", self.import_preset, IMPORTED, IMPORT),
            Route("PATCH", "/rules/{kind}/{owner}", self.change_set, changes, CHANGE),
            Route("PATCH", path, self.change, changes, CHANGE),
            Route("DELETE", path, self.remove, {"name": "large", "removed": True}),
        )

    async def find(
        self,
        request: Request,
        kind: OfKind = None,
        owner: OfOwner = None,
        limit: Size = 100,
        cursor: Cursor = None,
    ) -> Response:
        """Rules in the order in which they are evaluated."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        return await page_by_place(
            "rules", lambda most: rules.list_rules(self._app.database, kind, owner, most), limit, cursor
        )

    async def add(self, request: Request) -> Response:
        """Adds a rule to a task or queue. It needs a condition, and points or a queue."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await ADD.read(request)
        changes = await add_rule(
            self._app.database,
            RuleOwner(given["kind"]),
            given["owner"],
            given["name"],
            given["settings"],
            given.get("reason"),
            caller.name,
        )
        return answer({"name": given["name"], "changes": changes}, 201)

    async def change(self, request: Request, kind: Kind, owner: str, name: str) -> Response:
        """Changes settings of a rule: condition, points, queue, position, enabled."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await CHANGE.read(request)
        changes = await change_rule(
            self._app.database, kind, owner, name, given["settings"], given.get("reason"), caller.name
        )
        return answer({"name": name, "changes": changes})

    async def change_set(self, request: Request, kind: Kind, owner: str) -> Response:
        """Changes what the rules of a task or queue share: `base` and `overrides`."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await CHANGE.read(request)
        changes = await rules.set_rule_set(
            self._app.database, kind, owner, given["settings"], given.get("reason"), caller.name
        )
        return answer({"name": f"{kind} {owner}", "changes": changes})

    async def import_preset(self, request: Request) -> Response:
        """Sets the rules of a preset, all or none, with other queues by `routes`. May be repeated."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        given = await IMPORT.read(request)
        kind, owner, preset = RuleOwner(given["kind"]), given["owner"], given["preset"]
        # read_rules takes the path of a file too, which only those may name who can log in to this machine.
        if preset not in presets():
            raise InvalidOption(f"There is no preset {preset!r}.", f"the presets are {', '.join(presets())}")
        routes = given.get("routes", {})
        for name, queue in routes.items():
            check_value(f"$.routes.{name}", TEXT, queue)
        found = read_rules(preset).with_routes(routes)
        reason = given.get("reason")
        changed = await import_rules(self._app.database, kind, owner, found, reason, caller.name)
        name = f"{kind} {owner}"
        names = [one or name for one in changed]
        return answer({"name": name, "rules": [rule["name"] for rule in found.rules], "changed": names})

    async def remove(
        self, request: Request, kind: Kind, owner: str, name: str, reason: Reason = None
    ) -> Response:
        """Removes a rule. The audit trail keeps what it said."""
        caller = await self._access.check(request, AccessAction.OPERATE_INSTALLATION)
        await remove_rule(self._app.database, kind, owner, name, reason, caller.name)
        return answer({"name": name, "removed": True})

    async def test(self, request: Request) -> Response:
        """Which queue and priority a job would get, and which rules match it. Stores no job."""
        await self._access.check(request, AccessAction.READ_INSTALLATION)
        given = await TRY.read(request)
        task, payload = given.pop("task"), encode(given.pop("payload", {}))
        options: dict[str, Any] = given
        return answer(await rules.test_rules(self._app.database, task, payload, options))
