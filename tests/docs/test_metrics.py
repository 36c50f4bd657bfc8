"""The page about metrics lists the metrics that a worker serves."""

from tests.docs.worker_metrics import PAGE, page


async def test_the_list_of_a_workers_metrics_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == await page(), "run python -m tests.docs.worker_metrics"
