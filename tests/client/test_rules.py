"""Rules through the client, and the same payload through every way in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from httpx2 import ASGITransport, AsyncClient

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from holdfast.client.rules import add_rule
from holdfast.db.connect import Connection, Database
from holdfast.model.error import Conflict, InvalidInput, InvalidOption
from holdfast.model.rule import RuleOwner
from tests.cli.command import holdfast
from tests.patience import PATIENCE

PAYLOAD = '{"n": 1, "trigger_source": "manual"}'
BODY = f'{{"task": "capture", "payload": {PAYLOAD}}}'
Post = Callable[[str, str], Awaitable[None]]
TRIGGER = """
create table public.captures (n integer);
create function public.enqueue_capture() returns trigger language plpgsql as $$
begin
  perform holdfast.enqueue('capture', '{"n": 1, "trigger_source": "manual"}');
  return null;
end
$$;
create trigger captured after insert on public.captures for each row
  execute function public.enqueue_capture();
"""
SETTINGS = """
select distinct queue, priority, (rules ->> 'rules'), (
  select l.queue from holdfast.lanes as l where l.lane = j.lane)
from holdfast.jobs as j
"""
FILE = """
base = 5
[[rules]]
name = "one"
condition = '$.payload.n == 1'
points = 3
queue = "near"
[[rules]]
name = "two"
condition = '$.payload.n == 2'
points = 4
queue = "far"
"""


@pytest.fixture
async def post(app: Holdfast) -> AsyncIterator[Post]:
    """Sends a body to the HTTP API, with a producer's key."""
    key = await app.keys.create("manual", "producer")
    async with AsyncClient(transport=ASGITransport(app=api_app(app)), base_url="http://api") as http:

        async def send(path: str, body: str) -> None:
            answer = await http.post(path, headers={"Authorization": f"Bearer {key.secret}"}, content=body)
            assert answer.status_code == 201, answer.text

        yield send


async def test_every_way_in_gives_the_same_queue_priority_and_wake_up(
    app: Holdfast, db: Database, database_url: str, post: Post
) -> None:
    @app.task(queue="declared", priority=70)
    async def capture(n: int, trigger_source: str) -> None: ...

    await app.rules.import_rules("task", "capture", "repo-capture")
    await app.declare()
    await db.execute(TRIGGER)
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = await asyncpg.connect(database_url)
    await listener.add_listener("holdfast_ready", lambda *args: heard.put_nowait(str(args[-1])))

    async def command() -> None:
        done = await asyncio.to_thread(holdfast, "enqueue", "capture", PAYLOAD, url=database_url)
        assert done.code == 0, done.err

    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "SQL": lambda: db.execute("select holdfast.enqueue('capture', $1)", PAYLOAD),
        "trigger": lambda: db.execute("insert into public.captures values (1)"),
        "one": lambda: capture.enqueue(1, "manual"),
        "together": lambda: asyncio.gather(*(capture.enqueue(1, "manual") for _ in range(5))),
        "many": lambda: capture.enqueue_many([capture.call(1, "manual") for _ in range(3)]),
        "CLI": command,
        "HTTP": lambda: post("/api/v1/jobs", BODY),
        "HTTP, together": lambda: asyncio.gather(*(post("/api/v1/jobs", BODY) for _ in range(5))),
        "HTTP, many": lambda: post("/api/v1/jobs/bulk", f"{BODY}\n{BODY}"),
    }
    for name, enqueue in ways.items():
        await enqueue()
        assert [tuple(row) for row in await db.fetch(SETTINGS)] == [
            ("bulk", 20, '["source-manual", "otherwise"]', "bulk")
        ], name
        await db.execute("delete from holdfast.jobs")
        await app._links.here().notifier.flush()
        await db.execute("select pg_notify('holdfast_ready', 'all heard')")
        woken = await asyncio.wait_for(hints(heard, "all heard"), PATIENCE)
        assert woken == {"bulk"}, name
    await listener.close()


async def hints(heard: "asyncio.Queue[str]", last: str) -> set[str]:
    found: set[str] = set()
    while (queue := await heard.get()) != last:
        found.add(queue)
    return found


async def test_rules_are_set_listed_tested_and_removed(app: Holdfast) -> None:
    changes = await app.rules.set_rule("queue", "q", "n", condition="$.payload.n > 1", points=9)
    assert {change.setting for change in changes} == {"condition", "points", "position", "enabled"}
    await app.rules.set_rule_set("queue", "q", "start", base=1)
    (rule,) = await app.rules.list_rules("queue", "q")
    assert (rule.name, rule.points, rule.base, rule.enabled) == ("n", 9, 1, True)
    tested = await app.rules.test_rules("any", {"n": 2}, queue="q")
    assert (tested.queue, tested.priority, tested.of, tested.rules[0].matched) == ("q", 10, "queue q", True)
    assert await app.rules.remove_rule("queue", "q", "n")
    assert not await app.rules.remove_rule("queue", "q", "n")
    assert await app.rules.list_rules() == []


async def test_of_two_who_add_the_same_rule_at_once_the_second_is_refused_and_changes_nothing(
    app: Holdfast, db: Database, database_url: str
) -> None:
    async def add(on: Database, points: int) -> object:
        return await add_rule(
            on, RuleOwner.TASK, "t", "n", {"condition": "exists ($)", "points": points}, None, "Ada"
        )

    async with db.connection() as conn, conn.transaction():
        await conn.execute(
            """select holdfast.set_rule('task', 't', 'n', '{"condition": "exists ($)", "points": 1}')"""
        )
        second = asyncio.create_task(add(app.database, 2))
        await waits_for(conn, second)
    with pytest.raises(Conflict, match="already has a rule n"):
        await second
    (rule,) = await app.rules.list_rules("task", "t")
    assert rule.points == 1
    assert len(await app.audit.find()) == 1
    with pytest.raises(Conflict):
        await add(app.database, 1)  # the same settings once more


async def waits_for(holder: Connection, task: "asyncio.Task[object]") -> None:
    """Until a session waits for a lock of the holder."""
    blocked = (
        "select exists (select from pg_locks as l where pg_backend_pid() = any (pg_blocking_pids(l.pid)))"
    )
    async with asyncio.timeout(PATIENCE):
        while not await holder.fetchval(blocked):
            assert not task.done(), "it did not wait"
            await asyncio.sleep(0.01)


async def test_a_file_is_imported_once_and_its_queues_may_be_renamed(app: Holdfast, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(FILE)
    first = await app.rules.import_rules("task", "capture", file, {"far": "elsewhere"})
    assert [*first] == ["", "one", "two"]
    assert await app.rules.import_rules("task", "capture", file, {"far": "elsewhere"}) == {}
    listed = await app.rules.list_rules("task", "capture")
    assert [(rule.name, rule.position, rule.queue) for rule in listed] == [
        ("one", 10, "near"),
        ("two", 20, "elsewhere"),
    ]
    await app.rules.set_rule("task", "capture", "one", enabled=False)
    assert await app.rules.import_rules("task", "capture", file, {"far": "elsewhere"}) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base = ", "is not TOML"),
        ("[[rules]]\npoints = 1", "a rule without a name"),
        ("colour = 1", "has no setting colour"),
        ("[[rules]]\nname = 'x'\ncondition = '$.a ='\npoints = 1", "at character"),
    ],
)
async def test_a_wrong_file_changes_nothing(app: Holdfast, tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(f"{text}\n[[rules]]\nname = 'y'\ncondition = 'exists ($)'\npoints = 1")
    with pytest.raises(InvalidInput, match=words):
        await app.rules.import_rules("task", "capture", file)
    assert await app.rules.list_rules() == []


async def test_what_does_not_exist_is_refused_with_what_does(app: Holdfast) -> None:
    wrong: list[Any] = [
        app.rules.import_rules("task", "x", "no-such-preset"),
        app.rules.import_rules("task", "x", "repo-capture", {"slow": "x"}),
        app.rules.list_rules("run"),
    ]
    hints = ["repo-capture", "bulk, real-time", '"task" or "queue"']
    for call, words in zip(wrong, hints, strict=True):
        with pytest.raises((InvalidInput, InvalidOption)) as refused:
            await call
        assert words in str(refused.value.hint)
