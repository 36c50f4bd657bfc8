"""The app of a soak: its handler does nothing, so that all growth is Holdfast's."""

from chaos.soak.claim_times import record_claim_times
from chaos.workload import QUEUE
from holdfast import Holdfast

app = Holdfast(name="soak")
record_claim_times()


@app.task(queue=QUEUE)
async def nothing(n: int) -> int:
    return n
