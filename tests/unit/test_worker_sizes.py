"""What holds for a worker: its own option, then the flag of its group, then the flag for all."""

import pytest

from holdfast.model.flag import AUTO, ClaimSize, Source, WorkerFlags, WorkerSizes, sizes_of

FOR_ALL: WorkerFlags = {
    "slots": {"value": "20", "group": None},
    "claim_size": {"value": "5", "group": None},
}
OF_GROUP: WorkerFlags = {
    "slots": {"value": "2", "group": "gpu"},
    "claim_size": {"value": "auto", "group": "gpu"},
}


@pytest.mark.parametrize(
    ("slots", "claim_size", "flags", "expected"),
    [
        (None, None, {}, WorkerSizes(50, Source.DEFAULT, None, Source.DEFAULT)),
        (None, None, FOR_ALL, WorkerSizes(20, Source.FLAG, 5, Source.FLAG)),
        (None, None, OF_GROUP, WorkerSizes(2, Source.GROUP, None, Source.GROUP)),
        (7, 3, FOR_ALL, WorkerSizes(7, Source.OPTION, 3, Source.OPTION)),
        (7, AUTO, FOR_ALL, WorkerSizes(7, Source.OPTION, None, Source.OPTION)),
    ],
)
def test_the_nearest_value_holds(
    slots: int | None, claim_size: ClaimSize | None, flags: WorkerFlags, expected: WorkerSizes
) -> None:
    assert sizes_of(slots, claim_size, flags) == expected
