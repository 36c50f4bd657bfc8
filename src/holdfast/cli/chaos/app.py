"""What the workers run under chaos: the handlers of all parts."""

from holdfast.cli.chaos.part import QUEUE
from holdfast.cli.chaos.parts import all_parts
from holdfast.cli.chaos.probe import register as register_probe
from holdfast.client.app import Holdfast

app = Holdfast(name="chaos")
app.queue(QUEUE, detail="full")  # so that there are transitions to judge

for part in all_parts():
    part.register(app)
register_probe(app)
