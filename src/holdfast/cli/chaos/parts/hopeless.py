"""Offers what no database may take: it is refused, and nothing of it is ever stored."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from holdfast.cli.chaos.ledger import Answer, read_answer
from holdfast.cli.chaos.part import QUEUE, RETRY, Giver, Part
from holdfast.client.app import Holdfast
from holdfast.db.jobs import enqueue_jobs
from holdfast.model.error import HoldfastError
from holdfast.model.payload import JsonText

TASK = "hopeful"


class Hopeless(Part):
    name = "hopeless"

    def register(self, app: Holdfast) -> None:
        @app.task(queue=QUEUE, retry=RETRY, timeout="30s")
        async def hopeful(ref: str) -> None:
            await asyncio.sleep(0)

    async def produce(self, giver: Giver) -> None:
        """Below our own Python, which would notice: what the database itself refuses is the promise."""
        bad, good = str(uuid4()), str(uuid4())
        # All or none: the good one goes with the bad one.
        await _offer(giver, [bad, good], [_payload(bad, r'"text": "\u0000"'), _payload(good)], {})
        late = str(uuid4())
        await _offer(giver, [late], [_payload(late)], {"priority": 101})
        key = {"unique_key": str(uuid4()), "unique_scope": "hopeless", "unique_for": "forever"}
        if await giver.give(TASK, [{}], may_repeat=True, options=key):
            other = str(uuid4())
            await _offer(giver, [other], [_payload(other)], key)


async def _offer(
    giver: Giver, refs: list[str], payloads: Sequence[JsonText], options: Mapping[str, Any]
) -> None:
    """Refused from the start: it must not be stored, also if the answer gets lost."""
    giver.ledger.refuse(refs)
    try:
        stored = await enqueue_jobs(giver.database, [TASK], payloads, {"queue": QUEUE, **options})
    except HoldfastError as exc:
        giver.ledger.disturbed += read_answer(exc) is Answer.UNKNOWN
    else:
        giver.ledger.wrong.append(f"hopeless: {payloads[0]} with {options} was accepted as {stored[0].id}")


def _payload(ref: str, more: str = '"text": ""') -> JsonText:
    return JsonText(f'{{"ref": "{ref}", {more}}}')


PART = Hopeless()
