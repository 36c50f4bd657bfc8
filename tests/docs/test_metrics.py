"""The page about metrics names exactly the metrics that a worker serves."""

import re
from datetime import timedelta
from uuid import uuid4

from holdfast import Holdfast
from holdfast.model.id import WorkerId
from holdfast.worker.lease.lease import Registration
from holdfast.worker.metrics.worker_figures import worker_figures
from holdfast.worker.options import WorkerOptions
from holdfast.worker.time_box.time_box import TimeBox
from holdfast.worker.worker_state import WorkerState
from tests.repo.tree import ROOT

PAGE = (ROOT / "docs" / "metrics.md").read_text("utf-8")


async def test_the_page_names_every_metric_of_a_worker_and_no_other() -> None:
    box = TimeBox(timedelta(minutes=1), timedelta(seconds=5))
    registration = Registration(WorkerId(uuid4()), ["default"], {})
    app = Holdfast("postgresql://nobody@127.0.0.1:1/nowhere")
    state = WorkerState(app, WorkerOptions(("default",), box=box), registration)
    served = {family.name for family in worker_figures(state)}
    assert set(re.findall(r"`(holdfast_worker_\w+)`", PAGE)) == served
