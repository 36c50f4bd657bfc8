"""What is written can be read by Prometheus' own parser."""

import math

import pytest
from prometheus_client.parser import text_string_to_metric_families

from holdfast.telemetry.prometheus_text import Family, Kind, Sample, exposition

ODD = 'a "quoted" \\ back\nslash é'


def read(*families: Family) -> dict[str, list[tuple[str, dict[str, str], float]]]:
    return {
        found.name: [(sample.name, sample.labels, sample.value) for sample in found.samples]
        for found in text_string_to_metric_families(exposition(families))
    }


def test_help_and_type_stand_before_the_samples() -> None:
    text = exposition([Family("jobs_total", "Jobs.", Kind.COUNTER, [Sample(3, {"queue": "mail"})])])
    assert text == '# HELP jobs_total Jobs.\n# TYPE jobs_total counter\njobs_total{queue="mail"} 3\n'


def test_odd_text_comes_back_as_it_was() -> None:
    (found,) = text_string_to_metric_families(
        exposition([Family("load", ODD.replace('"', "'"), Kind.GAUGE, [Sample(1, {"label": ODD})])])
    )
    assert found.documentation == ODD.replace('"', "'")
    assert found.samples[0].labels == {"label": ODD}


@pytest.mark.parametrize("value", [0, 1, -1.5, 1e300, 1 / 3, 123456789012345, math.inf, -math.inf])
def test_a_value_comes_back_exactly(value: float) -> None:
    assert read(Family("load", "Load.", Kind.GAUGE, [Sample(value)]))["load"] == [("load", {}, value)]


def test_a_value_that_is_no_number_is_read_as_such() -> None:
    ((_, _, value),) = read(Family("load", "Load.", Kind.GAUGE, [Sample(math.nan)]))["load"]
    assert math.isnan(value)


def test_a_histogram_has_buckets_a_sum_and_a_count() -> None:
    samples = [
        Sample(1, {"le": "0.5"}, "_bucket"),
        Sample(2, {"le": "+Inf"}, "_bucket"),
        Sample(3.5, suffix="_sum"),
        Sample(2, suffix="_count"),
    ]
    found = read(Family("wait_seconds", "Waits.", Kind.HISTOGRAM, samples))["wait_seconds"]
    assert [name for name, _, _ in found] == [
        "wait_seconds_bucket",
        "wait_seconds_bucket",
        "wait_seconds_sum",
        "wait_seconds_count",
    ]


def test_a_family_without_samples_is_left_out() -> None:
    assert exposition([Family("load", "Load.", Kind.GAUGE, [])]) == ""
