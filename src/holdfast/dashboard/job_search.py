"""The search box: where an id, a unique key, a label or a value of the payload leads."""

import re
from collections.abc import Iterator
from itertools import islice, product
from urllib.parse import urlencode
from uuid import UUID

from holdfast.dashboard.job_filters import read_job_query
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
    if not text:
        return "/jobs"
    # A unique key may look like anything, and is found by an index: it comes first.
    name, value, scope = "unique_key", text, await _scope_with(view, "unique_key", text)
    if scope is None:
        name, value = _filter(text)
        scope = None if view.sees_all else await _scope_with(view, name, value)
    return f"/jobs?{urlencode({name: value, **(scope or {})})}"


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


def _filter(text: str) -> tuple[str, str]:
    label, equals, _ = text.partition("=")
    path, colon, _ = text.partition(":")
    if text.startswith(PAYLOAD) and colon:
        return "payload", text.removeprefix(PAYLOAD)
    if label and equals:
        return "label", text
    return ("payload", text) if path and colon else ("unique_key", text)


async def _scope_with(view: View, name: str, value: str) -> dict[str, str] | None:
    """The queue and task of the caller's scope that have such a job: a list shows one of them at a time."""
    for scope in islice(_scopes(view.caller), SCOPES):
        wanted = read_job_query(((name, value), *scope.items()), view.caller, view.masking)
        if wanted.problem:
            return None
        if (await page_outlines(view.database, wanted.filters, None, 1)).items:
            return scope
    return None


def _scopes(caller: Caller) -> Iterator[dict[str, str]]:
    for queue, task in product(caller.queues or [""], caller.tasks or [""]):
        yield {name: one for name, one in (("queue", queue), ("task", task)) if one}
