"""The search box: where an id, a unique key, a label or a value of the payload leads."""

import re
from collections.abc import Iterator
from itertools import islice, product
from urllib.parse import urlencode
from uuid import UUID

from holdfast.dashboard.page import View
from holdfast.db.jobs import job_outlines, page_outlines
from holdfast.db.short_ids import job_ids_ending_in
from holdfast.model.access_key import Caller
from holdfast.model.error import InvalidInput, Timeout
from holdfast.model.id import JobId

LONGEST = 1000
SCOPES = 20  # queues and tasks of a key that are looked through
PAYLOAD = "payload."
_SHORT = re.compile(r"…?([0-9a-f]{12})")


async def found_by(view: View, text: str) -> str:
    """The path of the page that shows what is searched for: a job, or the list with a filter."""
    text = text.strip()[:LONGEST]
    if job := await _job(view, text):
        return f"/jobs/{job}"
    name, value = await _filter(view, text)
    return f"/jobs?{urlencode({name: value})}" if text else "/jobs"


async def _job(view: View, text: str) -> UUID | None:
    """By its whole id, which the page of the job looks up; or by the end of it."""
    try:
        return UUID(text)
    except ValueError:
        short = _SHORT.fullmatch(text.lower())
    if short is None:
        return None
    try:
        ids = await job_ids_ending_in(view.database, short[1])
    except Timeout:
        words = "There are too many jobs to find one by the end of its id."
        raise InvalidInput(words, "search for the whole id") from None
    found = await job_outlines(view.database, [JobId(one) for one in ids])
    seen = [one.id for one in found if view.caller.sees(one.queue, one.task)]
    if len(seen) > 1:
        raise InvalidInput(f"Several jobs have an id that ends in {short[1]}.", "search for the whole id")
    return seen[0] if seen else None


async def _filter(view: View, text: str) -> tuple[str, str]:
    """A unique key may look like anything, and is found by an index: it comes first."""
    label, equals, _ = text.partition("=")
    path, colon, _ = text.partition(":")
    if not ((label and equals) or (path and colon)) or await _is_unique_key(view, text):
        return "unique_key", text
    if text.startswith(PAYLOAD) and colon:
        return "payload", text.removeprefix(PAYLOAD)
    return ("label", text) if equals and label else ("payload", text)


async def _is_unique_key(view: View, text: str) -> bool:
    for scope in islice(_scopes(view.caller), SCOPES):
        if (await page_outlines(view.database, {**scope, "unique_key": text}, None, 1)).items:
            return True
    return False


def _scopes(caller: Caller) -> Iterator[dict[str, str]]:
    for queue, task in product(caller.queues or [""], caller.tasks or [""]):
        yield {name: one for name, one in (("queue", queue), ("task", task)) if one}
