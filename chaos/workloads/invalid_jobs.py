"""Invalid jobs: the database refuses them, and stores nothing of them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from chaos.enqueue_ledger import EnqueueAnswer, read_answer
from chaos.workload import QUEUE, RETRY, Producer, Workload
from holdfast import Holdfast, HoldfastError
from holdfast.db.jobs import enqueue_jobs
from holdfast.model.payload import JsonText

TASK = "offered"


class InvalidJobs(Workload):
    name = "invalid_jobs"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def offered(ref: str) -> None:
            await asyncio.sleep(0)

    async def produce(self, producer: Producer) -> None:
        """Without the checks of the Python client: the database itself must refuse them."""
        bad, good = str(uuid4()), str(uuid4())
        # All or none: the valid job is refused together with the invalid one.
        await _offer(producer, [bad, good], [_payload(bad, r'"text": "\u0000"'), _payload(good)], {})
        late = str(uuid4())
        await _offer(producer, [late], [_payload(late)], {"priority": 101})
        key = {"unique_key": str(uuid4()), "unique_scope": "refused", "unique_for": "forever"}
        if await producer.enqueue(TASK, [{}], may_repeat=True, options=key):
            other = str(uuid4())
            await _offer(producer, [other], [_payload(other)], key)


async def _offer(
    producer: Producer, refs: list[str], payloads: Sequence[JsonText], options: Mapping[str, Any]
) -> None:
    """Recorded as refused before the call: it must not be stored, even if the answer is lost."""
    producer.ledger.refuse(refs)
    try:
        stored = await enqueue_jobs(producer.database, [TASK], payloads, {"queue": QUEUE, **options})
    except HoldfastError as exc:
        producer.ledger.disturbed += read_answer(exc) is EnqueueAnswer.UNKNOWN
    else:
        producer.ledger.wrong.append(
            f"invalid_jobs: {payloads[0]} with {options} was accepted as {stored[0].id}"
        )


def _payload(ref: str, more: str = '"text": ""') -> JsonText:
    return JsonText(f'{{"ref": "{ref}", {more}}}')


WORKLOAD = InvalidJobs()
