"""Request rates: token buckets per access key, and per address for log-ins that fail."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from httpx2 import ASGITransport, AsyncClient
from starlette.requests import Request

from holdfast.api.app import api_app
from holdfast.api.limits import rates
from holdfast.api.limits.limits import Limits
from holdfast.api.limits.rates import Buckets, Rates
from holdfast.api.request.problem import RequestRefused
from holdfast.client.app import Holdfast
from holdfast.db.access_keys import check_access
from holdfast.model.access_key import Caller, hash_secret
from holdfast.model.error import DatabaseBusy
from tests.api.conftest import MakeKey

WRONG = {"Authorization": "Bearer hfk_wrong"}
HOUR = 1 / 3600  # per second


@asynccontextmanager
async def calling(app: Holdfast, limits: Limits, address: str = "192.0.2.1") -> AsyncIterator[AsyncClient]:
    transport = ASGITransport(app=api_app(app, limits=limits), client=(address, 1))
    async with AsyncClient(transport=transport, base_url="http://api") as client:
        yield client


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def taken(buckets: Buckets, name: str) -> int:
    """How many tokens there are, by taking them."""
    count = 0
    while buckets.take(name) == 0:
        count += 1
    return count


def test_a_bucket_has_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    buckets = Buckets(rate=10, burst=2, clock=clock)
    assert taken(buckets, "a") == 20
    assert buckets.take("a") == pytest.approx(0.1)
    assert taken(buckets, "b") == 20, "each name has its own"
    clock.now += 0.5
    assert taken(buckets, "a") == 5
    clock.now += 3600
    assert taken(buckets, "a") == 20


def test_a_rate_of_0_is_unlimited() -> None:
    buckets = Buckets(rate=0, burst=2)
    assert [buckets.take("a") for _ in range(100)] == [0] * 100


def test_the_least_recently_used_bucket_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_BUCKETS", 2)
    buckets = Buckets(rate=1, burst=1, clock=Clock())
    for name in ("a", "b", "a", "c"):
        buckets.take(name)
    assert [name in buckets for name in "abc"] == [True, False, True]


async def test_a_key_that_sends_too_much_is_refused_and_told_when_to_come_back(
    app: Holdfast, make_key: MakeKey
) -> None:
    busy, calm = await make_key("viewer"), await make_key("operator")
    async with calling(app, Limits(rate=HOUR)) as http:
        assert (await http.get("/metrics", headers=busy)).status_code == 200
        refused = await http.get("/metrics", headers=busy)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert 3000 < int(refused.headers["Retry-After"]) <= 3600
        assert (await http.get("/metrics", headers=calm)).status_code == 200, "another key"
        assert (await http.get("/livez")).status_code == 200


async def test_a_request_counts_once_however_often_its_key_is_checked(
    app: Holdfast, make_key: MakeKey
) -> None:
    key = await make_key("producer")
    async with calling(app, Limits(rate=HOUR)) as http:
        assert (await http.post("/api/v1/jobs", json={"task": "t"}, headers=key)).status_code == 201


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_action_is_read_and_stopped_at_the_rate_of_any_request(
    app: Holdfast, make_key: MakeKey, method: str
) -> None:
    key, action = await make_key("operator"), f"/api/v1/actions/{uuid4()}"
    async with calling(app, Limits(rate=HOUR, failed_log_ins=HOUR)) as http:
        assert (await http.request(method, action, headers=key)).status_code == 404
        for headers, code in ((key, "rate_limited"), (WRONG, None), (WRONG, "too_many_log_ins")):
            refused = await http.request(method, action, headers=headers)
            assert code is None or refused.json()["code"] == code, refused.text


async def test_failed_log_ins_of_an_address_are_bounded(
    app: Holdfast, make_key: MakeKey, look_ups: Callable[[], int]
) -> None:
    known, new = await make_key("viewer"), await make_key("operator")
    limits = Limits(failed_log_ins=HOUR)
    async with calling(app, limits) as http:
        assert (await http.get("/metrics", headers=known)).status_code == 200, "gives its token back"
        assert (await http.get("/metrics", headers=WRONG)).status_code == 401
        before = look_ups()
        for guess in (WRONG, {"Authorization": "Bearer other"}, new):
            refused = await http.get("/metrics", headers=guess)
            assert (refused.status_code, refused.json()["code"]) == (429, "too_many_log_ins")
        assert look_ups() == before, "the database is not asked"
        assert (await http.get("/metrics", headers=known)).status_code == 200, "a key that was valid here"
        assert (await http.get("/metrics")).status_code == 401, "without a key nothing is asked"


def test_all_secrets_and_sessions_of_a_key_share_its_rate() -> None:
    counted = Rates(Limits(rate=10), clock=Clock())

    def count(secret: str, key: str) -> int:
        """How many requests with this secret are taken."""
        for taken in range(100):
            request = Request({"type": "http", "client": ("192.0.2.1", 1), "state": {"key_name": None}})
            try:
                with counted.counted(request, hash_secret(secret)):
                    request.state.key_name = key
            except RequestRefused:
                return taken
        return 100

    assert count("the key's own", "ops") == 20
    assert count("a session", "ops") == 1, "only the first, before it is known whose it is"
    assert count("another key's", "other") == 20


async def test_a_secret_that_the_database_did_not_judge_is_neither_right_nor_wrong(
    app: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*args: Any, **more: Any) -> Caller:
        raise DatabaseBusy("no connection")

    monkeypatch.setattr("holdfast.api.request.access.check_access", busy)
    async with calling(app, Limits(rate=HOUR, failed_log_ins=HOUR)) as http:
        for _ in range(3):
            answered = await http.get("/metrics", headers=WRONG)
            assert answered.status_code == 503, "it has no rate of its own, and its token comes back"


@pytest.fixture
def look_ups(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the database was asked for an access key."""
    asked = []

    async def counted(*args: Any, **more: Any) -> Caller:
        asked.append(args)
        return await check_access(*args, **more)

    monkeypatch.setattr("holdfast.api.request.access.check_access", counted)
    return lambda: len(asked)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
    ],
)
async def test_a_network_of_ipv6_is_one_address(app: Holdfast, one: str, other: str, same: bool) -> None:
    api = api_app(app, limits=Limits(failed_log_ins=HOUR))
    found = []
    for address in (one, other):
        transport = ASGITransport(app=api, client=(address, 1))
        async with AsyncClient(transport=transport, base_url="http://api") as http:
            found.append((await http.get("/metrics", headers=WRONG)).status_code)
    assert found == [401, 429 if same else 401]


async def test_log_ins_that_fail_at_an_action_count_too(app: Holdfast) -> None:
    async with calling(app, Limits(failed_log_ins=HOUR)) as client:
        path = f"/api/v1/actions/{uuid4()}"
        said = [(await client.get(path, headers=WRONG)).status_code for _ in range(2)]
    assert said == [401, 429]
