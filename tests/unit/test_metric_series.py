"""From figures to series: what is added up, how durations become buckets, and what is left out first."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

import pytest

from holdfast.client.database_metrics import families, limited
from holdfast.client.duration_histogram import EDGES, DurationHistogram
from holdfast.client.metric_series import Series, every_series, one
from holdfast.model.figures import Figures, QueueDepth, ReportedFigure, StatTotal, WorkerCount
from holdfast.telemetry import metric_list
from holdfast.telemetry.metric_list import METRICS
from holdfast.telemetry.prometheus_text import Kind, Sample

NOTHING = Figures([], [], [], [], [], [], [], [])
END = StatTotal("end", "mail", "send", "", "", "completed", "", 0, 0, 0, 0, 0, 0, 0, 0, {}, {})


def ends(count: int, queue: str = "mail", tens: dict[str, int] | None = None) -> StatTotal:
    return replace(END, queue=queue, jobs=count, wait_tens=tens or {"10": count}, run_tens=tens or {})


def depth(queue: str) -> QueueDepth:
    return QueueDepth(queue, False, 0, 0, 1, 0, 60, None)


def values(found: Iterable[Series], metric: metric_list.Metric) -> dict[tuple[str, ...], float]:
    return {series.labels: series.samples[0].value for series in found if series.metric == metric}


def lines(found: Iterable[Series]) -> int:
    return sum(len(series.samples) for series in found)


def test_no_figures_make_no_series() -> None:
    assert list(every_series(NOTHING)) == []


def test_a_histogram_has_at_most_15_buckets_and_counts_every_duration() -> None:
    histogram = DurationHistogram()
    histogram.add({"-10": 1, "9": 2, "10": 4, "69": 8, "70": 16}, 1.5)
    histogram.add({"9": 32}, 0.5)
    samples = list(histogram.samples({"queue": "mail"}))
    buckets = [sample for sample in samples if sample.suffix == "_bucket"]
    assert len(buckets) == len(EDGES) + 1 == 15
    found = {sample.labels["le"]: sample.value for sample in buckets}
    assert (found["0.001"], found["0.01"], found["0.0316228"], found["10000"], found["+Inf"]) == (
        *(1, 35, 39, 47, 63),
    )
    assert [sample.value for sample in buckets] == sorted(sample.value for sample in buckets)
    assert {sample.suffix: sample.value for sample in samples[-2:]} == {"_sum": 2, "_count": 63}


def test_a_stage_that_a_job_leaves_counts_as_a_stage_and_not_as_an_ended_job() -> None:
    visit = replace(
        END, pipeline="posts", stage="fetch", jobs=3, retried=1, retries=2, tries=5, units=7, cost=2
    )
    found = list(every_series(replace(NOTHING, totals=[replace(visit, state="advanced"), visit])))
    place = ("mail", "send", "posts", "fetch")
    assert values(found, metric_list.STAGES_LEFT) == {place: 3}
    assert values(found, metric_list.JOBS_ENDED) == {(*place, "completed"): 3}
    assert values(found, metric_list.ATTEMPTS_STARTED) == {place: 10}
    assert values(found, metric_list.RETRIES) == {place: 4}
    assert values(found, metric_list.JOBS_RETRIED) == {(*place, "advanced"): 1, (*place, "completed"): 1}
    assert (values(found, metric_list.UNITS), values(found, metric_list.COST)) == ({place: 14}, {place: 4})


def test_calls_of_all_tasks_are_added_up_by_model_and_tool() -> None:
    call = replace(END, what="call", state="model", name="tiny", jobs=2, run_seconds=3, units=10, cost=1)
    totals = [call, replace(call, task="other"), replace(call, state="model_error", jobs=1, units=0, cost=0)]
    found = list(every_series(replace(NOTHING, totals=totals)))
    assert values(found, metric_list.CALLS) == {("model", "tiny", "ok"): 4, ("model", "tiny", "error"): 1}
    assert values(found, metric_list.CALL_UNITS) == {("model", "tiny"): 20}
    (seconds,) = [series for series in found if series.metric == metric_list.CALL_SECONDS]
    assert [sample.value for sample in seconds.samples] == [9, 5]


def test_slots_are_those_of_workers_that_work() -> None:
    counts = [WorkerCount("gpu", "working", 2, 8, 3), WorkerCount("gpu", "stopped", 5, 20, 0)]
    found = list(every_series(replace(NOTHING, workers=counts)))
    assert values(found, metric_list.WORKERS) == {("gpu", "working"): 2, ("gpu", "stopped"): 5}
    assert values(found, metric_list.SLOTS) == {("gpu",): 8}
    assert values(found, metric_list.SLOTS_BUSY) == {("gpu",): 3}


def test_figures_from_outside_keep_their_name_and_labels() -> None:
    reported = [ReportedFigure("load", {"host": "b"}, 0.5, 9), ReportedFigure("load", {}, 2, 3)]
    found = list(families(every_series(replace(NOTHING, reported=reported))))
    assert [family.name for family in found] == ["holdfast_report_age_seconds", "load"]
    assert [sample.value for sample in found[0].samples] == [3]
    assert sorted(sample.value for sample in found[1].samples) == [0.5, 2]


def test_series_are_written_in_the_order_of_the_list_and_by_name() -> None:
    found = every_series(
        replace(NOTHING, queues=[depth("b"), depth("a")], totals=[ends(1, "b"), ends(2, "a")])
    )
    written = list(families(found))
    order = [metric.name for metric in METRICS]
    assert [family.name for family in written] == sorted((family.name for family in written), key=order.index)
    oldest = next(family for family in written if family.name == metric_list.OLDEST_READY.name)
    assert [sample.labels["queue"] for sample in oldest.samples] == ["a", "b"]


def test_the_largest_queues_are_kept_and_the_rest_is_counted() -> None:
    names = [f"q{number:03}" for number in range(100)]
    figures = replace(
        NOTHING,
        queues=[depth(name) for name in names],
        totals=[ends(1 + number, name) for number, name in enumerate(names)],
    )
    every = list(every_series(figures))
    kept = list(limited(every, 200))
    assert lines(kept) <= 200
    assert values(kept, metric_list.SERIES_LEFT_OUT) == {(): lines(every) + 1 - lines(kept)}
    shown = {labels[0] for labels in values(kept, metric_list.OLDEST_READY)}
    assert shown == set(names[-len(shown) :]), "the largest are the last"
    assert len(shown) > 20


def test_histograms_go_first_and_never_in_half() -> None:
    figures = replace(NOTHING, queues=[depth("mail")], totals=[ends(1), ends(1, "chat")])
    every = list(every_series(figures))
    for room in range(1, lines(every) + 2):
        kept = list(limited(every, room))
        assert lines(kept) <= room
        for series in kept:
            if series.metric.kind is Kind.HISTOGRAM:
                assert len(series.samples) == 17
    without = list(limited(every, lines(every) - 1))
    assert {series.metric for series in every} - {series.metric for series in without} <= {
        *(metric_list.JOB_WAIT, metric_list.JOB_RUN)
    }


def test_what_is_left_out_does_not_depend_on_the_order_of_reading() -> None:
    queues = [depth(f"q{number}") for number in range(50)]
    forwards = limited(every_series(replace(NOTHING, queues=queues)), 77)
    backwards = limited(every_series(replace(NOTHING, queues=queues[::-1])), 77)
    assert list(forwards) == list(backwards)


def test_with_room_for_all_nothing_is_left_out() -> None:
    kept = list(limited([one(metric_list.JOBS, 1, "mail", "ready")], 2))
    assert [series.samples for series in kept] == [
        (Sample(1, {"queue": "mail", "state": "ready"}),),
        (Sample(0),),
    ]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_names_follow_the_rules_of_prometheus(metric: metric_list.Metric) -> None:
    assert metric.name.startswith("holdfast_")
    assert metric.name.endswith("_total") == (metric.kind is Kind.COUNTER)
    assert metric.meaning.endswith(".")
    assert len({other.name for other in METRICS}) == len(METRICS)


def test_a_sum_does_not_depend_on_the_order_of_reading() -> None:
    """Otherwise a counter could fall by its last digit, which Prometheus takes for a restart."""
    parts = [
        replace(END, state=f"s{place}", jobs=1, cost=cost) for place, cost in enumerate((1e16, 0.1, 1, 0.3))
    ]
    found = {
        values(every_series(replace(NOTHING, totals=list(order))), metric_list.COST)["mail", "send", "", ""]
        for order in permutations(parts)
    }
    assert len(found) == 1
