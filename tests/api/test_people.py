"""What people see and set over HTTP: each route does what the command does, for the access key's name."""

from typing import Any

from httpx2 import AsyncClient

from holdfast.client.app import Holdfast
from tests.api.conftest import MakeKey
from tests.api.people import WHY, Caller, jobs_in, last_event
from tests.builders import a_worker, dead_job, ready_job
from tests.stage_builders import a_pipeline, entered_job


async def test_a_queue_is_set_paused_and_resumed(people: Caller, app: Holdfast) -> None:
    await jobs_in(app, 2, queue="mail")
    body = {"settings": {"timeout": "2m", "max_concurrent": 4}, "reason": WHY}
    changes = (await people.send("PATCH", "/queues/mail", body))["changes"]
    assert {one["setting"]: one["after"] for one in changes} == {"timeout": 120, "max_concurrent": 4}
    assert await last_event(app, "set_queue") == ("operator", WHY)
    wrong: list[dict[str, Any]] = [{"colour": 1}, {"timeout": [1]}, {"priority": "high"}, {"retry": 5}]
    for settings in wrong:
        await people.send("PATCH", "/queues/mail", {"settings": settings}, 422)
    await people.send("POST", "/queues/mail/pause", {"reason": WHY})
    shown = await people.get("/queues/mail")
    assert (shown["paused_reason"], shown["paused_by"]) == (WHY, "operator")
    assert (shown["ready"], shown["timeout"]) == (2, 120.0)
    await people.send("POST", "/queues/pause", {"reason": WHY})
    assert (await people.get("/queues"))["all_paused"]["actor"] == "operator"
    assert (await people.send("POST", "/queues/resume"))["still_paused"] == ["mail"]
    await people.send("POST", "/queues/mail/resume")
    assert (await people.get("/queues/mail"))["paused_at"] is None
    await people.get("/queues/absent", 404)


async def test_a_scoped_key_has_its_own_queues_only(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    for name in ("bulk", "chat", "mail"):
        await jobs_in(app, 1, queue=name)
    mine = Caller(http, await make_key("operator", queues=["mail", "chat"]))
    first = await mine.get("/queues", limit=1)
    rest = await mine.get("/queues", limit=1, cursor=first["next"])
    assert [one["name"] for one in first["queues"] + rest["queues"]] == ["chat", "mail"]
    assert rest["next"] is None
    await mine.send("POST", "/queues/mail/pause")
    await mine.send("POST", "/queues/bulk/pause", status=403)
    await mine.send("POST", "/queues/mail/move", {"to": "bulk", "reason": WHY}, 403)
    moved = await mine.send("POST", "/queues/mail/move", {"to": "chat", "reason": WHY})
    assert (moved["ready"], moved["scheduled"]) == (1, 0)
    assert (await mine.get("/stats", queue="mail"))["ended"] == []
    await mine.get("/stats", 403)
    only_task = Caller(http, await make_key("operator", tasks=["send"]))
    await only_task.get("/queues", 403)
    await only_task.send("POST", "/queues/mail/resume", status=403)


async def test_queues_are_rebalanced_by_pairs(people: Caller, app: Holdfast) -> None:
    await jobs_in(app, 1, queue="chat")
    await jobs_in(app, 1, queue="bulk")
    changed = await people.send("PATCH", "/rebalance/chat/bulk", {"settings": {"ratio": 4}, "reason": WHY})
    assert {"setting": "ratio", "before": None, "after": 4} in changed["changes"]
    (pair,) = (await people.get("/rebalance"))["pairs"]
    assert (pair["from_queue"], pair["to_queue"], pair["ratio"]) == ("chat", "bulk", 4.0)
    assert len((await people.send("POST", "/rebalance", {"dry_run": True}))["pairs"]) == 1
    await people.send("DELETE", "/rebalance/chat/bulk", reason=WHY)
    assert (await people.get("/rebalance"))["pairs"] == []
    await people.send("PATCH", "/rebalance/chat/bulk", {"settings": {"colour": 1}}, 422)


async def test_an_endpoint_is_set_opened_and_closed(people: Caller, app: Holdfast) -> None:
    for name in ("a", "b", "c"):
        await people.send("PATCH", f"/endpoints/{name}", {"settings": {"max": 4}, "reason": WHY})
    first = await people.get("/endpoints", limit=2)
    rest = await people.get("/endpoints", limit=2, cursor=first["next"])
    assert [one["name"] for one in first["endpoints"] + rest["endpoints"]] == ["a", "b", "c"]
    assert (await people.send("POST", "/endpoints/a/open", {"reason": WHY}))["circuit"] == "held_open"
    assert await last_event(app, "endpoint_open") == ("operator", WHY)
    assert (await people.send("POST", "/endpoints/a/close"))["circuit"] == "closed"
    assert (await people.get("/endpoints/a/history"))["seconds"] == []
    wrong: list[dict[str, Any]] = [{"breaker": 5}, {"shares": 5}, {"budget": []}, {"mode": "odd"}]
    for settings in wrong:
        await people.send("PATCH", "/endpoints/a", {"settings": settings}, 422)
    await people.send("POST", "/endpoints/absent/open", status=404)


async def test_workers_are_listed_and_drained(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        made = [str(await a_worker(conn, ["mail"])) for _ in range(3)]
    first = await people.get("/workers", limit=2)
    rest = await people.get("/workers", limit=2, cursor=first["next"])
    assert sorted(one["id"] for one in first["workers"] + rest["workers"]) == sorted(made)
    asked = await people.send("POST", "/workers/drain", {"workers": made[:1], "reason": WHY})
    assert asked["workers"] == made[:1]
    assert await last_event(app, "drain") == ("operator", WHY)
    assert (await people.get(f"/workers/{made[0]}"))["drain_asked"] is True
    assert (await people.get("/queues/mail/workers", target="10s"))["queue"] == "mail"
    await people.send("POST", "/workers/drain", {"reason": WHY}, 422)


async def test_the_board_of_a_pipeline_counts_the_jobs_at_each_stage(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await a_pipeline(conn)
        await entered_job(conn)
    (listed,) = (await people.get("/pipelines"))["pipelines"]
    board = await people.get(f"/pipelines/{listed['name']}")
    assert [stage["jobs"]["ready"] for stage in board["stages"]] == [1, 0, 0]
    assert (await people.get("/pipelines/line/stats"))["ended"] == []
    await people.get("/pipelines/absent", 404)


async def test_a_rule_is_added_tried_changed_and_removed(people: Caller, app: Holdfast) -> None:
    settings = {"condition": '$.payload.size == "large"', "points": 10, "queue": "bulk"}
    body = {"kind": "task", "owner": "send", "name": "large", "settings": settings, "reason": WHY}
    await people.send("POST", "/rules", body, 201)
    assert await last_event(app, "set_rule") == ("operator", WHY)
    await people.send("POST", "/rules", body, 409)
    tried = await people.send("POST", "/rules/test", {"task": "send", "payload": {"size": "large"}})
    assert (tried["queue"], tried["rules"][0]["matched"]) == ("bulk", True)
    await people.send("PATCH", "/rules/task/send/large", {"settings": {"points": 20}})
    await people.send("PATCH", "/rules/task/send", {"settings": {"base": 10}})
    (rule,) = (await people.get("/rules", kind="task", owner="send"))["rules"]
    assert (rule["points"], rule["base"]) == (20, 10)
    await people.send("PATCH", "/rules/task/send/absent", {"settings": {"points": 1}}, 404)
    await people.send("PATCH", "/rules/odd/send/large", {"settings": {"points": 1}}, 422)
    await people.send("DELETE", "/rules/task/send/large", reason=WHY)
    await people.send("DELETE", "/rules/task/send/large", status=404)


async def test_a_preset_is_imported_with_other_names_for_its_queues(people: Caller, app: Holdfast) -> None:
    body = {"kind": "task", "owner": "capture", "preset": "repo-capture", "routes": {"bulk": "nightly"}}
    done = await people.send("POST", "/rules/import", {**body, "reason": WHY})
    assert done["name"] == "task capture"
    assert {"priority-high", "otherwise"} <= set(done["rules"]) == set(done["changed"]) - {"task capture"}
    assert await last_event(app, "set_rule") == ("operator", WHY)
    (rule,) = [one for one in await app.rules.list_rules("task", "capture") if one.name == "otherwise"]
    assert (rule.queue, rule.base) == ("nightly", 0)
    assert (await people.send("POST", "/rules/import", body))["changed"] == []
    for wrong in ({"preset": "pyproject.toml"}, {"routes": {"bulk": 7}}, {"routes": {"absent": "x"}}):
        await people.send("POST", "/rules/import", {**body, **wrong}, 422)


async def test_a_schedule_is_added_changed_paused_and_run_now(people: Caller, app: Holdfast) -> None:
    body = {"name": "nightly", "settings": {"task": "send", "cron": "0 3 * * *"}, "reason": WHY}
    await people.send("POST", "/schedules", body, 201)
    await people.send("POST", "/schedules", body, 409)
    await people.send("PATCH", "/schedules/nightly", {"settings": {"cron": "0 4 * * *"}})
    (listed,) = (await people.get("/schedules"))["schedules"]
    assert len(listed["next_slots"]) == 5
    assert all(slot.endswith("T04:00:00Z") for slot in listed["next_slots"])
    assert (await people.send("POST", "/schedules/nightly/pause", {"reason": WHY}))["state"] == "paused"
    await people.send("POST", "/schedules/nightly/resume")
    made = await people.send("POST", "/schedules/nightly/run", {"reason": WHY}, 201)
    assert (await app.job(made["job"]).job()).task == "send"
    wrong: list[dict[str, Any]] = [{"cron": "odd"}, {"every": []}, {"options": 5}, {"tz": 5}]
    for settings in wrong:
        await people.send("PATCH", "/schedules/nightly", {"settings": settings}, 422)
    await people.send("PATCH", "/schedules/absent", {"settings": {"every": 60}}, 404)
    await people.send("DELETE", "/schedules/nightly", reason=WHY)
    await people.get("/schedules/nightly", 404)


async def test_flags_and_rollouts_are_set(people: Caller, app: Holdfast) -> None:
    body = {"value": "off", "queue": "mail", "reason": WHY}
    await people.send("PATCH", "/flags/rescue", body, 404)
    app.queue("mail")
    await app.declare()
    (change,) = (await people.send("PATCH", "/flags/rescue", body))["changes"]
    assert change["after"] == "off"
    shown = (await people.get("/flags"))["flags"]
    assert [(one["actor"], one["reason"]) for one in shown if one["queue"] == "mail"] == [("operator", WHY)]
    await people.send("PATCH", "/flags/odd", {"value": 1}, 422)
    await people.send("PATCH", "/rollouts/new", {"share": "on", "reason": WHY})
    assert (await people.get("/rollouts/new", key="17"))["in"] is True
    assert (await people.get("/rollouts"))["rollouts"][0]["percent"] == 100.0
    await people.send("PATCH", "/rollouts/new", {"share": "much"}, 422)


async def test_the_audit_trail_is_paged_and_verified(people: Caller, app: Holdfast) -> None:
    for n in range(3):
        await people.send("PATCH", "/queues/mail", {"settings": {"priority": 10 + n}, "reason": str(n)})
    first = await people.get("/audit", limit=2, actor="operator")
    rest = await people.get("/audit", limit=2, actor="operator", cursor=first["next"])
    events = first["events"] + rest["events"]
    assert [one["reason"] for one in events] == ["2", "1", "0"]
    assert all(isinstance(one["id"], str) for one in events)
    assert (await people.get(f"/audit/{events[0]['id']}"))["cause"] == "set_queue"
    assert (await people.get("/audit/verify"))["intact"] is True
    for query in ({"cursor": "x"}, {"since": "2030-01-31"}, {"job": "x"}, {"colour": "red"}):
        await people.get("/audit", 422, **query)
    await people.get("/audit/999999", 404)
    await people.get("/audit/verify", 422, since="soon")


async def test_figures_from_outside_are_stored_and_read(people: Caller, app: Holdfast) -> None:
    body = {"name": "load", "value": 0.5, "labels": {"host": "gpu1"}}
    await people.send("POST", "/reported-metrics", body, 201)
    (metric,) = (await people.get("/reported-metrics"))["metrics"]
    assert (metric["value"], metric["labels"]) == (0.5, {"host": "gpu1"})
    (value,) = (await people.get("/reported-metrics/load"))["values"]
    assert value["value"] == 0.5
    for wrong in ({**body, "labels": {"host": 5}}, {**body, "name": "9 lives"}, {**body, "value": "much"}):
        await people.send("POST", "/reported-metrics", wrong, 422)


async def test_statistics_and_the_report_are_answered(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        await dead_job(conn, queue="mail")
        await ready_job(conn, queue="mail")
    found = await people.get("/errors", queue="mail")
    assert (found["errors"][0]["attempts"], found["total"]["groups"]) == (1, 1)
    assert isinstance((await people.get("/stats", by="task", since="3600"))["ended"], list)
    assert (await people.get("/stats/calls"))["calls"] == []
    assert (await people.get("/stats/parts"))["parts"] == []
    await people.get("/report")
    for query in ({"by": "colour"}, {"since": "soon"}):
        await people.get("/stats", 422, **query)


async def test_errors_are_searched_and_come_page_by_page(people: Caller, app: Holdfast) -> None:
    async with app.database.transaction() as conn:
        for message in ("no route", "no route", "row is bad", "disk full"):
            await dead_job(conn, message, queue="mail")
    found = await people.get("/errors", limit=1)
    seen = [found["errors"][0]["message"]]
    while found["next"] is not None:
        found = await people.get("/errors", limit=1, cursor=found["next"])
        seen += [one["message"] for one in found["errors"]]
        assert (found["total"]["attempts"], found["total"]["groups"]) == (4, 3)
    assert (seen[0], sorted(seen)) == ("no route", ["disk full", "no route", "row is bad"])
    (one,) = (await people.get("/errors", text="ROUTE", error_class="permanent"))["errors"]
    assert (one["attempts"], one["before"], len(one["trend"]), sum(one["trend"])) == (2, 0, 30, 2)
    assert (one["looked"], one["dead"], one["completed"]) == (2, 2, 0)
    assert (await people.get("/errors", fingerprint=one["fingerprint"]))["errors"] == [one]
    for query in ({"colour": "red"}, {"cursor": "x"}, {"text": "x" * 1001}, {"text": "\x00"}):
        await people.get("/errors", 422, **query)


async def test_a_key_with_a_scope_sees_the_errors_of_its_queue_only(
    http: AsyncClient, app: Holdfast, make_key: MakeKey
) -> None:
    async with app.database.transaction() as conn:
        for queue in ("mail", "other"):
            await dead_job(conn, "it broke", queue=queue)
    limited = await make_key("viewer", queues=["mail"])
    found = (await http.get("/api/v1/errors?queue=mail", headers=limited)).json()
    assert [(one["queues"], one["jobs"]) for one in found["errors"]] == [(["mail"], 1)]
    assert (found["total"]["attempts"], found["total"]["groups"]) == (1, 1)
    for query in ("", "?queue=other", "?text=it"):
        assert (await http.get(f"/api/v1/errors{query}", headers=limited)).status_code == 403, query
