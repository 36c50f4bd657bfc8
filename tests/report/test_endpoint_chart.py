"""The chart of an endpoint's calls."""

from datetime import UTC, datetime, timedelta

from holdfast.model.endpoint import Circuit
from holdfast.model.report import EndpointReport, EndpointSlice, Period
from holdfast.report.sections.endpoints import endpoint_chart

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)
STEP = timedelta(minutes=1)


def test_a_slice_without_a_figure_is_a_gap_and_no_fall_to_nothing() -> None:
    limits = (4, 4, 0, 4, 4, 4)
    slices = [
        EndpointSlice(NOON + n * STEP, limit, limit, 0, 0, None, limit, limit and 3)
        for n, limit in enumerate(limits)
    ]
    period = Period(NOON, NOON + 6 * STEP, 6 * STEP, STEP, 6)
    report = EndpointReport(
        "llama", Circuit.CLOSED, 4, 3, 4.0, NOON, 20, 20, 0, 0, 0, 0.0, None, 0.0, None, None, slices
    )
    drawn = str(endpoint_chart(period, 0, report))
    area = drawn.split('<path class="area')[1].split(">", maxsplit=1)[0]
    assert area.count("M") == 2, "two pieces"
