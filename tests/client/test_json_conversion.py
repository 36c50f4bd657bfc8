"""Values that do not fit a handler's annotation are refused with their path."""

from dataclasses import dataclass

import pytest

from holdfast.client.json_conversion import converter_for
from holdfast.model.error import InvalidPayload


@dataclass
class Order:
    item: str
    count: int


@pytest.mark.parametrize(
    ("value", "path", "said"),
    [
        ({"count": 2}, "$.order.item", "$.order.item is missing, but Order needs it."),
        (
            {"item": "a", "count": "many"},
            "$.order.count",
            "$.order.count does not fit Order (got str of length 4): ",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(value: object, path: str, said: str) -> None:
    with pytest.raises(InvalidPayload) as caught:
        converter_for(Order, "$.order").from_json(value)
    assert caught.value.path == path
    assert caught.value.message.startswith(said)
