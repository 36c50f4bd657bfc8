"""When the demo says that a worker outlived its time box."""

import pytest

from holdfast.cli.demo.model_server import Ledger
from holdfast.cli.demo.time_box.host import Log
from holdfast.cli.demo.time_box.run import BOX, Outcome
from holdfast.cli.demo.verdict import Verdict

GOOD = Verdict(jobs=1, completed=1, lost=0, duplicated=0, wrong=0, rescued=0, failures=0, deferrals=0)


@pytest.mark.parametrize(
    ("too_long", "lag", "outlived"),
    [
        (0.1, 0.0, 0),
        (0.41, 0.0, 1),
        (0.41, 0.13, 0),  # measured, on a machine with a dozen processes to each processor
        (3.0, 0.13, 1),
    ],
)
def test_a_life_that_was_too_long_counts_unless_the_machine_was_late(
    too_long: float, lag: float, outlived: int
) -> None:
    log = Log(started=2, lives=[1.0, BOX.total_seconds() + too_long], lag=lag)
    assert Outcome(GOOD, Ledger(), log, links=1).outlived == outlived
