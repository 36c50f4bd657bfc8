"""What the workers of a soak run: as little as possible, so that what grows is ours."""

from holdfast.cli.chaos.claims import note_claims
from holdfast.cli.chaos.part import QUEUE
from holdfast.client.app import Holdfast

app = Holdfast(name="soak")
note_claims()


@app.task(queue=QUEUE)
async def nothing(n: int) -> int:
    return n
