"""What the workers run under chaos: the handlers of all parts."""

from holdfast.cli.chaos.parts import all_parts
from holdfast.client.app import Holdfast

app = Holdfast(name="chaos")

for part in all_parts():
    part.register(app)
