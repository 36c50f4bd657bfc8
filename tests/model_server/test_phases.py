"""Behaviour that changes while the server runs: by script, by Python, over HTTP."""

import asyncio
from collections.abc import Callable

import pytest

from holdfast.model.error import InvalidOption
from holdfast.testing import ManualClock, ModelServer
from tests.model_server.caller import chat, connect, get, post, until
from tests.patience import PATIENCE


async def test_phases_begin_at_their_times() -> None:
    clock = ManualClock()
    async with ModelServer(
        clock=clock,
        phases=[("30s", {"outage": "unavailable"}), ("90s", {"outage": "none"}), ("60s", {"slots": 8})],
    ) as server:
        seen = []
        for _ in range(4):
            seen.append((server.behaviour.outage, server.behaviour.slots))
            await clock.advance("30s")
    assert seen == [("none", 4), ("unavailable", 4), ("unavailable", 8), ("none", 8)]


async def test_a_phase_of_refusal_is_felt_by_clients() -> None:
    clock = ManualClock()
    phases = [("10s", {"outage": "refused"}), ("20s", {"outage": "none"})]
    async with ModelServer(clock=clock, phases=phases) as server:
        _, writer = await connect(server)
        writer.close()
        await clock.advance("10s")
        with pytest.raises(ConnectionRefusedError):
            await connect(server)
        await clock.advance("10s")
        _, writer = await connect(server)
        writer.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ModelServer(phases=[("1s", {"slotz": 1})]), "'slotz'"),
        (lambda: ModelServer(phases=[("soon", {"slots": 1})]), "A duration must be"),
        (lambda: ModelServer(slots=0), "at least 1"),
        (lambda: ModelServer(noise=1.5), "from 0 to 1"),
        (lambda: ModelServer(outage="sometimes"), "must be one of"),
        (lambda: ModelServer(speed=0), "above 0"),
        (lambda: ModelServer(time_scale=0), "above 0"),
        (lambda: ModelServer(memory=0), "at least 1"),
    ],
)
def test_a_wrong_option_is_refused_before_the_server_starts(
    make: Callable[[], ModelServer], words: str
) -> None:
    with pytest.raises(InvalidOption, match=words) as caught:
        make()
    assert caught.value.hint


async def test_the_behaviour_can_be_read_and_changed_over_http() -> None:
    async with ModelServer(base=0) as server:
        before = (await get(server, "/phase")).document
        changed = await post(server, "/phase", {"noise": 1, "base": "250ms"})
        assert (await chat(server)).status >= 500
    assert (before["noise"], before["outage"], before["base"]) == (0.0, "none", 0.0)
    assert (changed.document["noise"], changed.document["base"]) == (1.0, 0.25)


async def test_a_change_over_http_can_be_for_a_while() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, slots=2) as server:
        assert (await post(server, "/phase", {"slots": 8, "noise": 0.5, "for": "30s"})).status == 200
        server.change(busy=0.1)
        assert (server.behaviour.slots, server.behaviour.noise) == (8, 0.5)
        await clock.advance("31s")
        assert (server.behaviour.slots, server.behaviour.noise, server.behaviour.busy) == (2, 0.0, 0.1)


async def test_over_http_nobody_can_lock_himself_out() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock) as server:
        refused = await post(server, "/phase", {"outage": "refused"})
        assert refused.status == 400
        assert '"for"' in refused.document["error"]["message"]
        assert (await post(server, "/phase", {"outage": "refused", "for": "30s"})).status == 200
        await until_refused(server)
        await clock.advance("30s")
        assert (await get(server, "/phase")).document["outage"] == "none"


async def until_refused(server: ModelServer) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _, writer = await connect(server)
            except ConnectionRefusedError:
                return
            except ConnectionResetError:  # the listener closed while this one waited to be accepted
                continue
            writer.close()
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"slotz": 1}, "slotz"),
        ({"slots": "many"}, "slots"),
        ({"noise": True}, "noise"),
        ({"noise": 0.5, "for": "soon"}, "duration"),
        (b"nonsense", "not JSON"),
    ],
)
async def test_a_wrong_change_over_http_changes_nothing(body: object, words: str) -> None:
    async with ModelServer() as server:
        before = server.behaviour
        response = await post(server, "/phase", body)
        assert server.behaviour == before
    assert response.status == 400
    assert words in response.document["error"]["message"]


async def test_leaving_cancels_the_phases_to_come() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, phases=[("10s", {"slots": 8})]) as server:
        pass
    await clock.advance("1h")
    assert server.behaviour.slots == 4


async def test_a_call_sees_the_behaviour_of_its_own_time() -> None:
    clock = ManualClock()
    async with ModelServer(clock=clock, base="10s", spread=0, phases=[("5s", {"noise": 1.0})]) as server:
        early = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 1)
        await clock.advance("6s")
        late = asyncio.create_task(chat(server))
        await until(lambda: server.ledger.in_flight == 2)
        await clock.advance("1h")
        assert (await early).status == 200
        assert (await late).status >= 500
