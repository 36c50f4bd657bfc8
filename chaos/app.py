"""The app of the workers: the handlers of all workloads."""

from chaos.worker_probe import register as register_probe
from chaos.workload import QUEUE
from chaos.workloads import all_workloads
from holdfast import Holdfast

app = Holdfast(name="chaos")
app.queue(QUEUE, detail="full")  # so that there are transitions to check

for workload in all_workloads():
    workload.register(app)
register_probe(app)
