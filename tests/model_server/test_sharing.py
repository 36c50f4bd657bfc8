"""How calls share a replica. The clock is moved by hand, so every time is exact."""

import asyncio
import itertools
from collections.abc import Callable
from random import Random

import pytest

from holdfast.testing import Answer, ManualClock, ModelServer
from holdfast.testing.model_server.behaviour import Behaviour, Sharing
from holdfast.testing.model_server.replica import Replica
from holdfast.testing.model_server.simulation import Chance, speed_of
from tests.model_server.caller import chat, until


async def ends_of(server: ModelServer, clock: ManualClock, calls: int) -> list[float]:
    """When `calls` calls that begin together end."""
    tasks = [asyncio.create_task(chat(server, str(number))) for number in range(calls)]
    await until(lambda: server.ledger.in_flight == calls)
    await clock.advance("1h")
    responses = await asyncio.gather(*tasks)
    assert {response.status for response in responses} == {200}
    return [call.end.total_seconds() for call in server.ledger if call.end is not None]


@pytest.mark.parametrize(
    ("calls", "seconds"),
    [
        (1, 10.0),
        (4, 10.0),
        (8, 10.0 * 8 / 4 * (1 + 0.06 * 4)),  # half the speed each, and the thrashing of four too many
    ],
)
async def test_up_to_the_slots_calls_have_full_speed_and_beyond_they_share_it(
    calls: int, seconds: float
) -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, slots=4, base="10s", tokens_per_second=1e12, spread=0) as server:
        assert await ends_of(server, clock, calls) == pytest.approx([seconds] * calls)


async def test_continuous_batching_slows_each_and_speeds_up_all() -> None:
    times = {}
    for calls in (1, 4, 16):
        clock = ManualClock()
        async with ModelServer(
            clock=clock, sharing="batch", batch_cost=0.1, base="10s", tokens_per_second=1e12, spread=0
        ) as server:
            times[calls] = max(await ends_of(server, clock, calls))
    assert times == pytest.approx({1: 10.0, 4: 13.0, 16: 25.0})
    throughput = [calls / seconds for calls, seconds in times.items()]
    assert throughput == sorted(throughput)


async def test_work_is_the_base_and_the_tokens_at_their_speed() -> None:
    clock = ManualClock()
    async with ModelServer(
        clock=clock, base="2s", tokens_per_second=50, spread=0, answer=lambda _: Answer("x", tokens_out=400)
    ) as server:
        assert await ends_of(server, clock, 1) == pytest.approx([2 + 400 / 50])


async def test_replicas_share_the_calls_and_new_ones_take_the_next() -> None:
    clock = ManualClock()
    async with ModelServer(
        clock=clock, replicas=2, slots=1, thrash=0, base="10s", tokens_per_second=1e12, spread=0
    ) as server:
        ends = await ends_of(server, clock, 4)
        assert [call.replica for call in server.ledger] == [0, 1, 0, 1]
        server.change(replicas=4)
        before = len(server.ledger)
        ends = await ends_of(server, clock, 4)
        assert sorted(call.replica or 0 for call in server.ledger.calls[before:]) == [0, 1, 2, 3]
    assert ends[:4] == pytest.approx([20.0] * 4)
    assert ends[4:] == pytest.approx([3600 + 10.0] * 4)


async def test_a_removed_replica_fails_its_calls_and_spares_the_others() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, replicas=2, base="10s", spread=0) as server:
        tasks = [asyncio.create_task(chat(server)) for _ in range(4)]
        await until(lambda: server.ledger.in_flight == 4)
        server.change(replicas=1)
        await until(lambda: server.ledger.in_flight == 2)
        await clock.advance("1h")
        statuses = sorted([(await task).status for task in tasks])
        assert statuses == [200, 200, 503, 503]
        assert {call.replica for call in server.ledger if call.status == 503} == {1}


async def test_a_change_of_speed_is_felt_by_calls_under_way() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="10s", tokens_per_second=1e12, spread=0) as server:
        task = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("5s")
        server.change(speed=0.25)
        await clock.advance("1h")
        await task
        [call] = server.ledger
        assert call.end is not None
        assert call.end.total_seconds() == pytest.approx(5 + 5 / 0.25)


async def test_a_client_that_leaves_frees_its_share() -> None:
    clock = ManualClock()
    async with ModelServer(
        clock=clock, slots=1, thrash=0, base="10s", tokens_per_second=1e12, spread=0
    ) as server:
        impatient = asyncio.create_task(chat(server))
        patient = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 2)
        await clock.advance("4s")
        impatient.cancel()
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("1h")
        assert (await patient).status == 200
        ends = {call.outcome: call.end.total_seconds() for call in server.ledger if call.end is not None}
        assert ends == pytest.approx({"client_left": 4.0, "answered": 4 + (10 - 4 / 2)})


@pytest.mark.parametrize("sharing", [*Sharing])
@pytest.mark.parametrize("seed", range(5))
async def test_any_arrivals_end_when_a_step_by_step_calculation_says(sharing: Sharing, seed: int) -> None:
    chance = Random(seed)
    speed = speed_of(Behaviour(slots=3, sharing=sharing, thrash=0.1))
    begins = sorted(chance.randrange(480) / 8 for _ in range(40))  # a timedelta holds eighths exactly
    calls = [(begin, chance.expovariate(1 / 5)) for begin in begins]
    assert await simulated(calls, speed) == pytest.approx(calculated(calls, speed), abs=1e-6)


async def simulated(calls: list[tuple[float, float]], speed: Callable[[int], float]) -> list[float]:
    clock = ManualClock()
    replica = Replica(clock, speed)
    ends = [0.0] * len(calls)

    async def call(number: int, work: float) -> None:
        await replica.reach(replica.start(work), 1.0)
        ends[number] = clock.now()

    async with asyncio.TaskGroup() as tasks:
        for number, (begin, work) in enumerate(calls):
            await clock.advance(begin - clock.now())
            tasks.create_task(call(number, work))
        await clock.advance("1h")
    return ends


def calculated(calls: list[tuple[float, float]], speed: Callable[[int], float]) -> list[float]:
    """From event to event: every call under way loses the same work."""
    left: dict[int, float] = {}
    ends = [0.0] * len(calls)
    now, coming = 0.0, list(enumerate(calls))
    while coming or left:
        rate = speed(len(left)) if left else 1.0
        end = (
            min((now + work / rate, number) for number, work in left.items()) if left else (float("inf"), -1)
        )
        begin = coming[0][1][0] if coming else float("inf")
        step = min(end[0], begin) - now
        left = {number: work - step * rate for number, work in left.items()}
        now += step
        if end[0] <= begin:
            ends[end[1]] = now
            del left[end[1]]
        else:
            number, (_, work) = coming.pop(0)
            left[number] = work
    return ends


def test_the_noise_of_the_work_has_the_mean_one() -> None:
    stretches = [Chance(1, number).stretch(0.5) for number in range(20_000)]
    assert sum(stretches) / len(stretches) == pytest.approx(1.0, abs=0.02)
    assert min(stretches) < 0.4
    assert max(stretches) > 2.5


def test_the_same_seed_has_the_same_luck() -> None:
    assert [vars(Chance(7, number)) for number in range(50)] == [
        vars(Chance(7, number)) for number in range(50)
    ]
    throws = itertools.chain.from_iterable(
        (Chance(seed, 1).noise, Chance(seed, 2).noise) for seed in range(20)
    )
    assert len(set(throws)) == 40


async def test_a_late_timer_moves_no_work_from_one_call_to_another() -> None:
    """Both calls are due before anyone looks: the second still ran alone after the first had ended."""
    clock = LateClock()
    replica = Replica(clock, lambda calls: 1 / calls)
    short, long = replica.start(1.0), replica.start(3.0)
    clock.time = 3.9
    await replica.reach(short, 1.0)
    assert list(replica.under_way) == [long]
    clock.time = 4.0
    await replica.reach(long, 1.0)
    assert not replica.under_way


class LateClock(ManualClock):
    """Time passes and no timer goes off."""

    time = 0.0

    def now(self) -> float:
        return self.time
