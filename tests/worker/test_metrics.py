"""A worker serves its own figures, and Prometheus' own parser reads them."""

import asyncio
import logging
import sys
from datetime import timedelta
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from holdfast import Holdfast, Permanent, Reject, Snooze
from holdfast.model.error import Conflict, InvalidOption, NotConfigured
from holdfast.worker.metrics.loop_watch import LoopWatch
from holdfast.worker.metrics.metrics_address import MetricsAddress
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.verb_times import by_verb
from holdfast.worker.worker import Worker
from tests.patience import PATIENCE
from tests.worker.working import until, working

ANY_PORT = MetricsAddress(0)
Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


async def url_of(caplog: pytest.LogCaptureFixture) -> str:
    """The address that a worker has logged."""

    async def found() -> str | None:
        served = [one for one in caplog.records if vars(one).get("event") == "metrics.served"]
        return str(vars(served[-1])["fields"]["url"]) if served else None

    return str(await until(found))


def fetch(url: str) -> str:
    with urlopen(url, timeout=PATIENCE) as answer:
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        return str(answer.read().decode())


async def figures(url: str) -> Figures:
    families = list(text_string_to_metric_families(await asyncio.to_thread(fetch, url)))
    assert all(one.documentation and one.type in ("counter", "gauge") for one in families)
    return {
        (sample.name.removeprefix("holdfast_worker_"), tuple(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def attempts(found: Figures) -> dict[str, float]:
    return {
        dict(labels)["end"]: value
        for (name, labels), value in found.items()
        if name == "attempts_total" and value
    }


@pytest.fixture(autouse=True)
def log_of_worker(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "holdfast")
    return caplog


async def test_the_figures_of_a_working_worker_are_served(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    go = asyncio.Event()

    @app.task()
    async def work() -> None:
        await go.wait()

    async with working(app, slots=3, metrics=ANY_PORT, group="gpu") as worker:
        url = await url_of(caplog)
        await work.enqueue_many([work.call() for _ in range(2)])

        async def two_run() -> bool:
            return (await figures(url))["slots_busy", ()] == 2

        await until(two_run)
        found = await figures(url)
        assert found["slots", ()] == 3
        assert found["resident_memory_bytes", ()] > 1_000_000
        assert found["cpu_seconds_total", ()] > 0
        assert found["event_loop_lag_seconds", ()] >= 0
        about = dict(next(labels for name, labels in found if name == "info"))
        assert about == {"worker": str(worker.id), "group": "gpu", "version": ""}
        for name in ("worker", "app"):
            assert found["connections", (("connection", name),)] >= 1
        for name in ("worker side", "lease"):  # opened at their first statement
            assert found["connections", (("connection", name),)] in (0, 1)
        verb = (("verb", "settle_and_claim"),)
        assert found["sql_calls_total", verb] >= 1
        assert found["sql_seconds_total", verb] > 0
        go.set()
    with pytest.raises(OSError, match="refused"):
        await asyncio.to_thread(fetch, url)


async def test_attempts_are_counted_by_their_end(app: Holdfast, caplog: pytest.LogCaptureFixture) -> None:
    @app.task(max_failures=1)
    async def work(how: str) -> None:
        match how:
            case "fail":
                raise Permanent("no")
            case "reject":
                raise Reject("not this one")
            case "snooze":
                raise Snooze(timedelta(hours=1))
            case _:
                return

    ends = ["complete"] * 3 + ["fail"] * 2 + ["reject", "snooze"]
    await work.enqueue_many([work.call(how) for how in ends])
    async with working(app, metrics=ANY_PORT):
        url = await url_of(caplog)

        async def all_ended() -> bool:
            return sum(attempts(await figures(url)).values()) == len(ends)

        await until(all_ended)
        found = await figures(url)
        assert attempts(found) == {"complete": 3, "fail": 2, "reject": 1, "snooze": 1}
        assert found["lost_ends_total", ()] == 0
        assert found["attempts_per_second", ()] > 0


async def test_a_time_box_is_served_as_used_and_left(app: Holdfast, caplog: pytest.LogCaptureFixture) -> None:
    go = asyncio.Event()

    @app.task()
    async def work() -> None:
        await go.wait()

    await work.enqueue()
    box = TimeBox(timedelta(hours=1), timedelta(seconds=5))
    async with working(app, metrics=ANY_PORT, box=box):
        found = await figures(await url_of(caplog))
        used, left = found["time_box_used_seconds", ()], found["time_box_left_seconds", ()]
        assert 0 < used < left
        assert used + left == pytest.approx(3600, abs=1)
        go.set()


async def test_without_a_time_box_no_figure_speaks_of_one(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    async with working(app, metrics=ANY_PORT):
        assert not [name for name, _ in await figures(await url_of(caplog)) if "time_box" in name]


async def test_only_one_path_is_served(app: Holdfast, caplog: pytest.LogCaptureFixture) -> None:
    async with working(app, metrics=ANY_PORT):
        url = await url_of(caplog)
        with pytest.raises(HTTPError, match="404"):
            await asyncio.to_thread(fetch, url.removesuffix("metrics"))


async def test_a_port_that_is_taken_is_refused_before_the_worker_registers(
    app: Holdfast, caplog: pytest.LogCaptureFixture
) -> None:
    async with working(app, metrics=ANY_PORT):
        port = int((await url_of(caplog)).rsplit(":", 1)[1].removesuffix("/metrics"))
        second = Worker(app, ["default"], metrics=MetricsAddress(port))
        with pytest.raises(Conflict, match="cannot be served"):
            await second.run()
        rows = await app.database.fetch("select from holdfast.worker_view where id = $1", second.id)
        assert rows == []


async def test_without_the_extra_the_error_names_it(app: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "holdfast.worker.metrics.metrics_http", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(NotConfigured) as refused:
        await Worker(app, ["default"], metrics=ANY_PORT).run()
    assert "uvicorn" in refused.value.message
    assert "holdfast-queue[server]" in str(refused.value.hint)


def test_a_port_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidOption, match="65535"):
        MetricsAddress(70_000)


def test_statements_are_counted_by_their_first_verb() -> None:
    times = {
        "select * from holdfast.claim_jobs($1)": [1, 1.0],
        "select a from holdfast.claim_jobs($1, holdfast.now())": [2, 2.0],
        "select 1": [1, 4.0],
    }
    assert by_verb(times) == {"claim_jobs": (3, 3.0), "others": (1, 4.0)}


def test_before_its_first_look_a_watch_knows_no_lag_and_no_rate() -> None:
    assert LoopWatch(lambda: 7).lag == 0
    assert LoopWatch(lambda: 7).rate == 0
