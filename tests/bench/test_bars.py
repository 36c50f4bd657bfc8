"""Bars pass on good figures, and each fires on the figure that it is about."""

from collections.abc import Callable

import pytest

from bench.bars import BARS, bars_of
from bench.bars.bar import checklist
from bench.result import OURS, Results
from tests.bench import planted

GOOD: list[Callable[[], Results]] = [
    planted.peers,
    planted.limit,
    planted.depth,
    planted.held,
    planted.mixed,
    planted.permit,
    planted.pipeline,
    planted.api,
    planted.dashboard,
]


def missed(results: Results) -> list[str]:
    return [bar.what for bar in bars_of(results) if not bar.is_met]


@pytest.mark.parametrize("make", GOOD)
def test_good_figures_meet_every_bar(make: Callable[[], Results]) -> None:
    results = make()
    assert bars_of(results)
    assert missed(results) == []


def test_every_suite_with_bars_is_planted() -> None:
    assert {make().suite for make in GOOD} == BARS.keys()


@pytest.mark.parametrize(
    ("make", "figure", "value"),
    [
        (planted.peers, "drain_1", 29_900),
        (planted.peers, "drain_2", 32_000),
        (planted.peers, "bulk_enqueue", 43_900),
        (planted.peers, "single_enqueue_1", 1_290),
        (planted.peers, "single_enqueue_64", 19_000),
        (planted.peers, "pickup_p99", 17.5),
        (planted.peers, "statements_per_job", 0.06),
        (planted.peers, "wal_bytes_per_job", 1_701),
        (planted.peers, "buffers_per_job", 31),
        (planted.peers, "idle_statements_per_s", 2.1),
        (planted.peers, "import_s", 0.36),
        (planted.peers, "rss_mb", 58),
        (planted.permit, "endpoint_1_us", 20.1),
        (planted.permit, "endpoint_10_wal_bytes", 20.1),
        (planted.permit, "beside_1_buffers", 10.6),
        (planted.permit, "heap_only_calls_of_100_ms", 99.4),
        (planted.pipeline, "drain_steps", 31_900),
        (planted.api, "claim_and_complete_10", 1_300),
        (planted.api, "enqueue_16", 740),
        (planted.api, "long_polls_mb", 201),
        (planted.api, "long_polls_statements_per_s", 21),
        (planted.dashboard, "/jobs p95", 201),
        (planted.dashboard, "watchers_50_statements_per_s", 6.6),
        (planted.limit, "drain_1", 22_000),
        (planted.limit, "drain_2", 24_900),
        (planted.depth, "ready_deep_rate", 7_400),
        (planted.depth, "ready_deep_buffers", 24.1),
        (planted.depth, "ready_deep_wal_bytes", 1_090),
        (planted.depth, "ended_deep_rate", 7_400),
        (planted.depth, "ended_deep_buffers", 25),
        (planted.depth, "ended_deep_wal_bytes", 1_090),
        (planted.held, "steady_last", 2_800),
        (planted.held, "steady_claim_p99", 51),
        (planted.held, "full_last", 2_200),
        (planted.mixed, "enqueue_priorities", 67_000),
        (planted.mixed, "enqueue_queues", 58_000),
        (planted.mixed, "enqueue_runs", 62_000),
        (planted.mixed, "enqueue_unique", 44_000),
        (planted.mixed, "enqueue_rules", 44_000),
        (planted.mixed, "enqueue_all", 35_000),
        (planted.mixed, "drain_failures", 29_000),
        (planted.mixed, "drain_all", 24_000),
        (planted.mixed, "bulk_priorities", 51_000),
        (planted.mixed, "bulk_priorities_unique", 39_000),
    ],
)
def test_a_bad_figure_misses_its_bar_and_no_other(
    make: Callable[[], Results], figure: str, value: float
) -> None:
    results = planted.spoil(make(), figure, value)
    (what,) = missed(results)
    words = figure.split("_")
    assert words[0] in what
    assert words[-1] in what or words[-1] == "last"


def test_the_end_of_a_held_run_is_compared_with_its_own_beginning() -> None:
    """The medians, 140 to 200, would say that it fell to 0.7."""
    results = planted.held()
    results.figures[OURS, "full_first"].runs = [100, 200, 300]
    results.figures[OURS, "full_last"].runs = [80, 140, 240]
    assert missed(results) == []
    results.figures[OURS, "full_last"].runs = [80, 140, 210]
    assert len(missed(results)) == 1


def test_a_slow_pick_up_misses_both_of_its_bars() -> None:
    assert len(missed(planted.spoil(planted.peers(), "pickup_p50", 2.9))) == 2


def test_without_redis_no_bar_speaks_of_taskiq() -> None:
    results = planted.peers()
    del results.figures["taskiq", "pickup_p50"]
    assert not [bar for bar in bars_of(results) if "taskiq" in bar.what]


def test_64_callers_may_be_compared_with_one_caller_of_the_peer() -> None:
    results = planted.spoil(planted.peers(), "single_enqueue_64", 20_000)
    assert missed(results) == []  # 5.7 times its 64 callers, but 15.4 times its one
    results.figures["pgqueuer", "single_enqueue_1"].runs = [1_400]
    results.figures[OURS, "single_enqueue_1"].runs = [2_000]
    assert len(missed(results)) == 1


def test_the_slowest_of_two_peers_excuses_nothing() -> None:
    results = planted.peers()
    for name, (_, theirs) in planted.PEERS.items():
        results.add("saq", "1", name, "unit", theirs / 2 if name.startswith("drain") else theirs)
    assert missed(planted.spoil(results, "drain_1", 24_900)) == ["drain_1, to the best peer's"]


def test_the_rate_at_depth_is_compared_within_pairs() -> None:
    results = planted.depth()
    results.figures[OURS, "ready_base_rate"].runs = [10, 20, 40, 80, 160]
    results.figures[OURS, "ready_deep_rate"].runs = [10, 20, 40, 80, 1]
    results.figures[OURS, "ended_deep_rate"].runs = [7, 14, 28, 80, 160]
    assert missed(results) == ["ended_deep_rate, to ready_base_rate"]


def test_a_feature_is_compared_with_plain_round_by_round() -> None:
    """The medians, 20 to 40, would say that it reached only a half."""
    results = planted.mixed()
    results.figures[OURS, "enqueue_plain"].runs = [10, 40, 80]
    for name in ("priorities", "queues", "runs", "unique", "all"):
        results.figures[OURS, f"enqueue_{name}"].runs = [10, 20, 80]
    assert missed(results) == []


def test_a_feature_that_was_not_measured_misses_its_bar() -> None:
    results = planted.mixed()
    del results.figures[OURS, "enqueue_rules"]
    assert missed(results) == ["enqueue_rules, to enqueue_plain"]
    assert "MISS enqueue_rules, to enqueue_plain: not measured, wanted ≥ 0.5" in checklist(bars_of(results))


def test_a_peer_that_was_not_measured_has_no_bar() -> None:
    results = planted.mixed()
    del results.figures["pgqueuer", "bulk_priorities"]
    assert not [bar for bar in bars_of(results) if bar.figure == "bulk_priorities"]
    assert [bar for bar in bars_of(results) if bar.figure == "bulk_priorities_unique"]


def test_without_a_peer_on_postgres_only_our_own_figures_have_bars() -> None:
    results = planted.peers()
    results.figures = {key: figure for key, figure in results.figures.items() if key[0] == OURS}
    assert {bar.to for bar in bars_of(results)} == {""}


@pytest.mark.parametrize(("figure", "least"), [("enqueue_plain", 87_300), ("drain_plain", 43_650)])
def test_plain_jobs_may_be_three_percent_slower_than_at_an_older_commit(figure: str, least: float) -> None:
    results = planted.against(planted.mixed())
    assert len(bars_of(results)) == len(bars_of(planted.mixed())) + 3
    assert missed(planted.spoil(results, figure, least)) == []
    assert missed(planted.spoil(results, figure, least - 1)) == [f"{figure}, to holdfast@abc1234's"]


def test_plain_jobs_may_not_write_much_more_than_at_an_older_commit() -> None:
    results = planted.spoil(planted.against(planted.mixed()), "wal_plain", 841)
    assert missed(results) == ["wal_plain, to holdfast@abc1234's"]


def test_the_list_of_bars_marks_those_that_are_missed() -> None:
    lines = checklist(bars_of(planted.spoil(planted.held(), "full_last", 100))).splitlines()
    assert [line[:4] for line in lines] == ["ok  ", "ok  ", "MISS"]
    assert lines[-1].endswith("0.033, wanted ≥ 0.75")
