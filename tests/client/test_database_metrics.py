"""The database's metrics, read with Prometheus's own parser."""

import random
from collections.abc import Iterable

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from holdfast.client.app import Holdfast
from holdfast.client.database_metrics import database_metrics
from holdfast.db.connect import Connection
from holdfast.model.error import InvalidOption
from holdfast.telemetry.metric_list import METRICS
from tests.builders import (
    a_queue,
    a_worker,
    an_open_run,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    ready_job,
    replay,
    scheduled_job,
    settle,
)
from tests.cli.scene import count_ends
from tests.client.metrics_ledger import History, Key, key
from tests.sql.endpoints.scene import a_caller, a_fixed_endpoint, calls, claimed
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

HOSTILE = 'a"b\n{'


async def families(conn: Connection, max_series: int = 2000) -> list[Metric]:
    return list(text_string_to_metric_families(await database_metrics(conn, max_series)))


def values(found: Iterable[Metric]) -> dict[Key, float]:
    return {key(one.name, one.labels): one.value for family in found for one in family.samples}


async def value(conn: Connection, metric: str, /, **labels: str) -> float | None:
    return values(await families(conn)).get(key(f"holdfast_{metric}", labels))


async def test_an_empty_database_has_metrics_that_parse(conn: Connection) -> None:
    assert values(await families(conn)) == {key("holdfast_series_left_out", {}): 0}


@pytest.mark.parametrize("seed", range(3))
async def test_metrics_agree_with_the_ledger_of_a_random_history(conn: Connection, seed: int) -> None:
    ledger = await History(conn, random.Random(seed)).go(120)
    await count_ends(conn)
    wanted = ledger.expected()
    names = {name for name, _ in wanted}
    assert len(names) == 11, "the history has something for each metric"
    found = {of: count for of, count in values(await families(conn)).items() if of[0] in names and count}
    assert found == wanted


async def test_a_replay_takes_nothing_from_the_counters(conn: Connection) -> None:
    job = await dead_job(conn, queue="mail")
    await count_ends(conn)
    before = values(await families(conn))
    await replay(conn, job.id)
    await conn.execute("update holdfast.chores set counts = '{}' where name = 'summarise_ends'")
    await count_ends(conn)
    after = values(await families(conn))
    counters = {of for of in before if of[0].endswith(("_total", "_count", "_sum", "_bucket"))}
    assert {of: after[of] for of in counters} == {of: before[of] for of in counters}
    assert key("holdfast_dead_letters_open", {"queue": "mail"}) not in after


async def test_every_family_has_help_and_type(conn: Connection) -> None:
    await completed_job(conn)
    await a_fixed_endpoint(conn, budget_per_day=10)
    await an_open_run(conn, budget="5 USD")
    await count_ends(conn)
    listed = {metric.name.removesuffix("_total"): metric for metric in METRICS}
    found = await families(conn)
    assert len(found) > 20
    for family in found:
        metric = listed[family.name]
        assert (family.type, family.documentation) == (metric.kind, metric.meaning)
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(metric.labels)


async def test_a_histogram_is_whole_and_its_buckets_grow(conn: Connection) -> None:
    for _ in range(3):
        await completed_job(conn, queue=HOSTILE)
    await count_ends(conn)
    (waits,) = [family for family in await families(conn) if family.name == "holdfast_job_wait_seconds"]
    buckets = [sample.value for sample in waits.samples if sample.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert (len(buckets), buckets[-1]) == (15, 3)
    assert {sample.labels["queue"] for sample in waits.samples} == {HOSTILE}


async def test_each_stage_of_a_pipeline_has_its_own_series(conn: Connection) -> None:
    await a_pipeline(conn, "line", [{"name": stage, "task": stage, "queue": "q"} for stage in "ab"])
    await entered_job(conn, "line")
    worker = await a_stage_worker(conn, "line")
    assert await settle(conn, await claim_one(conn, worker), "advance", {})
    assert await complete(conn, await claim_one(conn, worker))
    await count_ends(conn)
    found = values(await families(conn))
    first, last = ({"queue": "q", "pipeline": "line", "stage": stage} for stage in ("a", "b"))
    assert found[key("holdfast_jobs_enqueued_total", {"pipeline": "line"})] == 1
    assert found[key("holdfast_stages_left_total", {**first, "task": "a"})] == 1
    assert found[key("holdfast_jobs_ended_total", {**last, "task": "b", "outcome": "completed"})] == 1
    for stage in (first, last):
        assert found[key("holdfast_job_run_seconds_count", stage)] == 1


async def test_hostile_names_are_read_back_as_they_are(conn: Connection) -> None:
    await ready_job(conn, queue=HOSTILE, task=HOSTILE)
    await scheduled_job(conn, queue="later")
    await a_fixed_endpoint(conn)
    assert await value(conn, "jobs", queue=HOSTILE, state="ready") == 1
    assert await value(conn, "jobs", queue="later", state="scheduled") == 1


async def test_depth_age_and_pauses_are_those_of_now(conn: Connection) -> None:
    await ready_job(conn, queue="mail")
    await conn.execute("update holdfast.jobs set rank_at = rank_at - interval '1 hour'")
    await conn.execute("select holdfast.pause_queue('mail')")
    assert 3600 <= (await value(conn, "oldest_ready_age_seconds", queue="mail") or 0) < 7200
    assert await value(conn, "queue_paused", queue="mail") == 1
    assert await value(conn, "jobs_sample_age_seconds", queue="mail") is None


async def test_an_endpoint_shows_its_limit_calls_units_and_money(conn: Connection) -> None:
    await a_fixed_endpoint(conn, limit=4, price=2, budget_per_day=100)
    await calls(conn, 3, estimate=5)
    good, bad, _ = await claimed(conn, await a_caller(conn))
    await complete(conn, good)
    await fail(conn, bad, "rate_limited", retry_after=0)
    found = values(await families(conn))

    def of(name: str, **labels: str) -> float:
        return found[key(f"holdfast_endpoint_{name}", {"endpoint": "model", **labels})]

    assert (of("limit"), of("in_flight"), of("calls_started_total")) == (4, 1, 3)
    assert (of("calls_total", outcome="ok"), of("calls_total", outcome="rate_limited")) == (1, 1)
    assert (of("circuit", state="closed"), of("circuit", state="open")) == (1, 0)
    assert (of("units_total"), of("cost_total"), of("budget_left")) == (5, 10, 90)
    assert of("call_seconds_count") == 1


async def test_the_budget_of_an_open_run_is_shown(conn: Connection) -> None:
    run = await an_open_run(conn, name="nightly", budget="5 USD", max_units=7)
    labels = {"run": str(run), "name": "nightly"}
    assert await value(conn, "run_budget_left", unit="money", **labels) == 5
    assert await value(conn, "run_budget_left", unit="units", **labels) == 7


async def test_workers_and_maintenance_are_shown(conn: Connection) -> None:
    await a_worker(conn, group="gpu")
    await conn.execute("select holdfast.record_maintenance(array['rescue'])")
    found = values(await families(conn))
    assert found[key("holdfast_workers", {"group": "gpu", "state": "working"})] == 1
    assert found[key("holdfast_slots", {"group": "gpu"})] == 10
    now = await conn.fetchval("select extract(epoch from holdfast.now())::float8")
    done = found[key("holdfast_maintenance_last_success_timestamp_seconds", {"task": "rescue"})]
    assert 0 <= now - done < 600


async def test_figures_from_outside_are_passed_on(conn: Connection) -> None:
    await conn.execute("""select holdfast.report_metric('gpu_load', 0.75, '{"host": "one"}')""")
    found = values(await families(conn))
    assert found[key("gpu_load", {"host": "one"})] == 0.75
    assert found[key("holdfast_report_age_seconds", {"metric": "gpu_load"})] < 600


async def test_the_limit_holds_and_counts_the_rest(conn: Connection) -> None:
    for number in range(30):
        await a_queue(conn, f"q{number}")
    every = values(await families(conn))
    kept = values(await families(conn, 50))
    left_out = kept.pop(key("holdfast_series_left_out", {}))
    assert len(kept) + 1 <= 50
    assert left_out == len(every) - 1 - len(kept)


async def test_a_limit_below_one_is_refused(conn: Connection) -> None:
    with pytest.raises(InvalidOption, match="max_series"):
        await database_metrics(conn, 0)


async def test_programs_get_the_same_text(app: Holdfast) -> None:
    text = await app.metrics.text()
    assert "holdfast_series_left_out 0\n" in text
