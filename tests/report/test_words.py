"""Figures as pages write them."""

from datetime import timedelta

import pytest

from holdfast.report.words import estimate


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(None, "–"), (1.5, "90 s"), (119, "119 min"), (22.5 * 60, "22 h"), (47.9 * 60, "2 d"), (61 * 60, "3 d")],
)
def test_an_estimate_has_one_unit(minutes: float | None, words: str) -> None:
    assert estimate(None if minutes is None else timedelta(minutes=minutes)) == words
