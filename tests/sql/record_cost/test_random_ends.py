"""Over random pipelines and ends: a run has spent what its handlers reported, and nothing stays reserved."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from holdfast.db.connect import Connection
from tests.builders import Running, an_open_run, cancel, expire_worker, ready_jobs, rescue, settle, to_json
from tests.sql.endpoints.scene import a_caller, an_endpoint, assert_balanced, claimed
from tests.stage_builders import a_pipeline, signal

FAILURE = {"type": "ValueError", "message": "it broke"}
ENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "complete": ("complete", {}),
    "advance": ("advance", {}),
    "back": ("advance", {"stage": "0"}),
    "nowhere": ("advance", {"stage": "nowhere"}),
    "reject": ("reject", {"reason": "no"}),
    "snooze": ("snooze", {"delay": 0}),
    "release": ("release", {}),
    "wait": ("wait", {"for": "signal:go"}),
    "cancel": ("cancel", {}),
    **{
        error: ("fail", {"class": error, **FAILURE})
        for error in ("transient", "rate_limited", "permanent", "system")
    },
}
# Of calls that went well and say nothing, what was expected is assumed.
SUCCESSES = ("complete", "advance", "back", "reject")
AT_ONCE = """
update holdfast.endpoints set blocked_until = 0, rate = null, circuit = 'closed', streak = 0
"""
SERVED = """
select l.endpoint, j.estimate, j.cancel_asked_at is not null as is_unwanted
from holdfast.jobs as j join holdfast.lanes as l on l.lane = j.lane
where j.id = $1
"""
VISITS = """
select
  coalesce(sum(v.units), 0) as units, coalesce(sum(v.cost), 0) as cost
from (
  select units, cost from holdfast.run_view
  union all
  select units - coalesce(units_before, 0), cost - coalesce(cost_before, 0) from holdfast.jobs
) as v
"""


@dataclass(frozen=True)
class Stage:
    """Without a price it calls nothing."""

    price: int | None
    estimate: int | None
    on_reject: str


@dataclass(frozen=True)
class Turn:
    claims: int
    end: str
    which: int
    units: int | None
    asks_to_cancel: bool


@dataclass
class Books:
    """What handlers reported, or what is assumed of them, by endpoint; "" is for stages without one."""

    used: dict[str, float] = field(default_factory=dict)
    reported: float = 0.0

    def charge(self, endpoint: str, units: float) -> None:
        self.used[endpoint] = self.used.get(endpoint, 0.0) + units


STAGES = some.builds(
    Stage,
    some.one_of(some.none(), some.integers(1, 5)),
    some.one_of(some.none(), some.integers(0, 50)),
    some.sampled_from(["end", "retry", "dead"]),
)
TURNS = some.builds(
    Turn,
    some.integers(0, 2),
    some.sampled_from([*ENDS, "lost", "take back", "in transaction"]),
    some.integers(0, 9),
    some.one_of(some.none(), some.integers(0, 40)),
    some.integers(0, 5).map(lambda n: n == 0),
)
EXAMPLES = settings(
    max_examples=50,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_run_has_spent_what_its_handlers_reported(shared_database_url: str) -> None:
    @EXAMPLES
    @given(
        stages=some.lists(STAGES, min_size=1, max_size=4),
        own=some.one_of(some.none(), some.integers(0, 30)),
        turns=some.lists(TURNS, min_size=4, max_size=30),
    )
    def holds(stages: list[Stage], own: int | None, turns: list[Turn]) -> None:
        runner.run(undone(conn, stages, own, turns))

    with asyncio.Runner() as runner:
        conn = runner.run(connect(shared_database_url))
        try:
            holds()
        finally:
            runner.run(conn.close())


async def connect(url: str) -> Connection:
    return await asyncpg.connect(url)


async def undone(conn: Connection, stages: list[Stage], own: int | None, turns: list[Turn]) -> None:
    transaction = conn.transaction()
    await transaction.start()
    try:
        await Play(conn, stages).through(own, turns)
    finally:
        await transaction.rollback()


class Play:
    def __init__(self, conn: Connection, stages: list[Stage]) -> None:
        self.conn = conn
        self.stages = stages
        self.held: list[Running] = []
        self.books = Books()
        self.recorded: dict[UUID, float] = {}

    async def through(self, own: int | None, turns: list[Turn]) -> None:
        run = await self.begin(own)
        for turn in turns:
            await self.wake_all()
            self.held += await claimed(self.conn, self.worker, turn.claims)
            if self.held:
                await self.end(self.held.pop(turn.which % len(self.held)), turn)
            await self.check(run)
        for job in self.held:
            await self.end(job, Turn(0, "release", 0, 1, False))
        await self.check(run)
        b = await self.conn.fetchrow("select * from holdfast.budget_of($1)", run)
        assert b is not None
        assert (b["reserved"], b["reserved_units"]) == (0, 0)
        assert (
            await self.conn.fetchval(
                "select count(*) from holdfast.endpoints where in_flight <> 0 or reserved <> 0"
            )
            == 0
        )

    async def begin(self, own: int | None) -> UUID:
        listed = []
        for n, stage in enumerate(self.stages):
            one: dict[str, Any] = {"name": str(n), "task": "work", "on_reject": stage.on_reject}
            if stage.price is not None:
                one["endpoint"] = f"e{n}"
                estimate = {} if stage.estimate is None else {"estimate": stage.estimate}
                await an_endpoint(
                    self.conn,
                    f"e{n}",
                    mode="fixed",
                    max=100,
                    price=stage.price,
                    trip_failures=1000,
                    **estimate,
                )
            listed.append(one)
        await a_pipeline(self.conn, stages=listed)
        run = await an_open_run(self.conn, budget=1_000_000, max_units=1_000_000)
        options = {} if own is None else {"estimate": own}
        await ready_jobs(self.conn, 3, pipeline="line", run=run, retry=[0] * 90, max_failures=100, **options)
        await self.new_worker()
        return run

    async def new_worker(self) -> None:
        rows = await self.conn.fetch("select distinct queue from holdfast.stage_view")
        self.worker = await a_caller(self.conn, *(row["queue"] for row in rows))

    async def wake_all(self) -> None:
        await self.conn.execute(AT_ONCE)
        await self.conn.execute("update holdfast.jobs set due_at = holdfast.now() where state = 'scheduled'")
        await self.conn.execute("select holdfast.promote_jobs()")
        for row in await self.conn.fetch("select id from holdfast.jobs where waits_for = 'signal:go'"):
            await signal(self.conn, row["id"], "go")

    async def end(self, job: Running, turn: Turn) -> None:
        if turn.asks_to_cancel:
            assert await cancel(self.conn, job.id) == "asked"
        row = await self.conn.fetchrow(SERVED, job.id)
        assert row is not None
        expected = await self.expected(row["endpoint"], row["estimate"])
        match turn.end:
            case "lost":
                await self.lose([job, *self.held], turn.units)
            case "take back":
                await self.record(job, turn.units)
                await self.conn.execute("select holdfast.reclaim_jobs($1, 'why', 'Ada')", [job.id])
            case "in transaction" if not row["is_unwanted"]:
                await self.conn.execute(
                    "select holdfast.complete_in_transaction($1, $2, '1', $3)", job.id, job.token, turn.units
                )
                self.report(row["endpoint"], turn.units, expected)
            case "in transaction":
                await self.settle(job, "release", turn, row, expected)
            case end:
                await self.settle(job, end, turn, row, expected)

    async def settle(self, job: Running, end: str, turn: Turn, row: Any, expected: float) -> None:
        verb, detail = ENDS[end]
        said = {} if turn.units is None else {"units": turn.units}
        visits = await self.conn.fetchval("select visit from holdfast.jobs where id = $1", job.id)
        assert await settle(self.conn, job, verb, {**detail, **said}, output=1)
        is_success = end in SUCCESSES and not (verb == "advance" and row["is_unwanted"])
        # Where it may not go again the handler is wrong, and the attempt a failure.
        is_success = is_success and not (end == "back" and await self.is_dead(job) and visits >= 10)
        self.report(row["endpoint"], turn.units, expected if is_success else 0.0)

    async def is_dead(self, job: Running) -> bool:
        return bool(
            await self.conn.fetchval(
                "select exists (select from holdfast.dead_letters where job_id = $1)", job.id
            )
        )

    def report(self, endpoint: str, units: float | None, expected: float) -> None:
        self.books.reported += units or 0.0
        self.books.charge(endpoint, expected if units is None else units)

    async def expected(self, endpoint: str, own: float | None) -> float:
        """What a call that went well and says nothing is taken to have used; no call, nothing."""
        if not endpoint:
            return 0.0
        general = self.stages[int(endpoint[1:])].estimate
        return float(own if own is not None else general or 0)

    async def record(self, job: Running, units: float | None) -> None:
        """A call that is recorded at once, and is known even if the attempt ends without its worker."""
        call = {"kind": "model", "name": "m", "seconds": 1, "units": units}
        assert await self.conn.fetchval(
            "select holdfast.save_call($1, $2, $3)", job.id, job.token, to_json(call)
        )
        endpoint = await self.conn.fetchval(SERVED, job.id)
        self.report(endpoint, units, 0.0)

    async def lose(self, jobs: list[Running], units: float | None) -> None:
        await self.record(jobs[0], units)
        await expire_worker(self.conn, self.worker)
        await rescue(self.conn)
        self.held.clear()
        await self.new_worker()

    async def check(self, run: UUID) -> None:
        used = self.books.used
        money = sum(self.price(name) * units for name, units in used.items())
        row = await self.conn.fetchrow("select spent, used_units from holdfast.run_view where id = $1", run)
        assert row is not None
        assert (row["spent"], row["used_units"]) == (money, sum(used.values()))
        assert (
            await self.conn.fetchval("select coalesce(sum(units), 0) from holdfast.job_view")
            == self.books.reported
        )
        spent = await self.conn.fetchval("select coalesce(sum(spent), 0) from holdfast.endpoints")
        assert spent == money
        assert await self.conn.fetchval("select coalesce(sum(cost), 0) from holdfast.job_view") == money
        visits = await self.conn.fetchrow(VISITS)
        assert visits is not None
        assert (visits["units"], visits["cost"]) == (self.books.reported, money)
        await assert_balanced(self.conn)

    def price(self, endpoint: str) -> int:
        return (self.stages[int(endpoint[1:])].price or 0) if endpoint else 0
