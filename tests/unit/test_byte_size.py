"""Sizes as people write them."""

from typing import Any

import pytest

from holdfast.model.byte_size import parse_size
from holdfast.model.error import InvalidOption


@pytest.mark.parametrize(
    ("written", "meant"),
    [("512MiB", 512 * 2**20), ("1.5 GiB", 3 * 2**29), ("200mb", 200_000_000), (4096, 4096), ("64", 64)],
)
def test_a_size_is_a_number_of_bytes(written: str | int, meant: int) -> None:
    assert parse_size(written) == meant


@pytest.mark.parametrize("written", ["much", "", "-1MiB", "1ib", "12 apples", 0, "0MiB", -5, True, 1.5, None])
def test_what_is_no_size_is_refused_with_an_example(written: Any) -> None:
    with pytest.raises(InvalidOption) as refused:
        parse_size(written)
    assert "512MiB" in (refused.value.hint or "")
