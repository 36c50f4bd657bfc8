from datetime import timedelta
from typing import Any

import pytest

from holdfast.model.error import InvalidOption
from holdfast.model.retry import PRESETS, RetryPolicy


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("chat", "chat"),
        (["1m", 300, timedelta(minutes=15)], {"delays": [60, 300, 900]}),
        ([0.25], {"delays": [0.25]}),
        ([], {"delays": []}),
        ({"delays": [1, 2]}, {"delays": [1, 2]}),
        ({"base": "5s", "tries": 7}, {"base": 5, "factor": 2.0, "cap": 300, "jitter": 0.3, "tries": 7}),
        (RetryPolicy.fixed("1s", "2s"), {"delays": [1, 2]}),
        (
            RetryPolicy.exponential("1s", factor=3, cap="1h", jitter=0, tries=5),
            {"base": 1, "factor": 3.0, "cap": 3600, "jitter": 0.0, "tries": 5},
        ),
    ],
)
def test_a_retry_policy_is_read_from_what_people_write(given: Any, sent: Any) -> None:
    policy = RetryPolicy.parse(given)
    assert policy.to_json() == sent
    assert RetryPolicy.parse(policy) is policy
    assert RetryPolicy.parse(policy.to_json()) == policy


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_sent_by_its_name(name: str) -> None:
    assert RetryPolicy.parse(name).to_json() == name


@pytest.mark.parametrize(
    "wrong",
    [
        "no-such-preset",
        5,
        None,
        ["soon"],
        [-1],
        [1] * 101,
        ["400d"],
        {"tries": 0},
        {"tries": "3"},
        {"tries": True},
        {"factor": 0.5},
        {"factor": float("nan")},
        {"jitter": -0.1},
        {"jitter": 11},
        {"cap": "400d"},
        {"delay": 5},
        {"delays": [1], "tries": 2},
        {"delays": "5s"},
        {"delays": 5},
        {1: 2},
    ],
)
def test_what_is_no_retry_policy_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidOption) as caught:
        RetryPolicy.parse(wrong)
    assert caught.value.hint
