"""What is written is what Prometheus reads: its own parser is the judge."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from holdfast.telemetry.prometheus_text import Family, Kind, Sample, exposition

ODD = 'a"b\n{\\n}\\'


def parsed(families: Iterable[Family]) -> list[tuple[str, dict[str, str], float]]:
    return [
        (sample.name, sample.labels, sample.value)
        for family in text_string_to_metric_families(exposition(families))
        for sample in family.samples
    ]


def test_a_family_has_its_help_and_type_above_its_samples() -> None:
    family = Family("jobs", "Jobs by\nstate.", Kind.GAUGE, [Sample(2, {"queue": "mail"}), Sample(0.5)])
    assert exposition([family]) == (
        '# HELP jobs Jobs by\\nstate.\n# TYPE jobs gauge\njobs{queue="mail"} 2\njobs 0.5\n'
    )


def test_a_family_without_samples_is_left_out() -> None:
    assert exposition([Family("jobs", "Jobs.", Kind.GAUGE, [])]) == ""


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")), st.floats(allow_nan=False))
def test_any_label_and_number_is_read_back(label: str, value: float) -> None:
    family = Family("jobs", "Jobs.", Kind.GAUGE, [Sample(value, {"queue": label})])
    assert parsed([family]) == [("jobs", {"queue": label}, value)]


def test_hostile_names_are_escaped() -> None:
    family = Family("jobs", ODD, Kind.GAUGE, [Sample(1, {"queue": ODD})])
    assert parsed([family]) == [("jobs", {"queue": ODD}, 1)]
    assert len(exposition([family]).splitlines()) == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [(float("inf"), "+Inf"), (float("-inf"), "-Inf"), (float("nan"), "NaN"), (3, "3"), (0.5, "0.5")],
)
def test_numbers_are_written_as_prometheus_reads_them(value: float, text: str) -> None:
    assert exposition([Family("x", "X.", Kind.GAUGE, [Sample(value)])]).endswith(f"x {text}\n")
