"""Jobs as JSON documents, as programs elsewhere send them: task, payload, and options beside them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from holdfast.client.enqueue_options import NONE, GivenOptions, Wire, split_options, with_options
from holdfast.client.new_job import NewJob
from holdfast.db import jobs
from holdfast.db.statement import Fetcher
from holdfast.model.error import InvalidOption, InvalidPayload
from holdfast.model.job import Enqueued
from holdfast.model.payload import encode, read
from holdfast.model.queue import INTERNAL_QUEUE

# Without what leads to other queues later (pipeline, run), is for connections of one's own (notify), or says
# who asked (actor).
OPTIONS = frozenset(
    {
        "queue", "priority", "delay", "run_at", "unique_key", "unique_for", "order_key", "labels", "timeout",
        "deadline", "group", "endpoint", "max_failures", "retry", "estimate", "origin", "trace",
    }
)  # fmt: skip
MOMENTS = ("run_at", "deadline")
RANGES = {"priority": (0, 100), "max_failures": (1, 32767)}
LONGEST_NAME = 200
TASK, PAYLOAD = "task", "payload"


def read_document(text: bytes) -> dict[str, Any]:
    """Raises InvalidPayload, with the path, if it is not an object that comes back equal."""
    try:
        value = read(text.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise InvalidPayload(f"Byte {exc.start + 1} is not UTF-8.", "send JSON in UTF-8") from None
    except ValueError as exc:
        raise InvalidPayload(f"The text is not JSON: {exc}.", "send one JSON object") from None
    encode(value)
    if not isinstance(value, dict):
        raise InvalidPayload("The JSON value must be an object.", "write it as {…}")
    return value


def read_job(document: dict[str, Any], task: str = TASK, payload: str = PAYLOAD) -> NewJob:
    """`task` and `payload`: what these two are called in the document."""
    name = document.get(task)
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST_NAME:
        hint = "send the name of a task" if task == TASK else "send the name of the event"
        raise InvalidPayload(f"{task} must be a string of 1 to 200 characters.", hint, f"$.{task}")
    _refuse_reserved(task, name)
    given = {key: value for key, value in document.items() if key not in (task, payload)}
    unknown = sorted(given.keys() - OPTIONS)
    if unknown:
        raise InvalidPayload(
            f"There is no option {unknown[0]}.",
            f"the options are {', '.join(sorted(OPTIONS))}",
            f"$.{unknown[0]}",
        )
    options = with_options(NONE, _options(given))
    _check_ranges(options)
    return NewJob(name, encode(document.get(payload, {})), options)


def _options(given: dict[str, Any]) -> GivenOptions:
    """Their values are checked by with_options, which knows them by name."""
    moments = {key: _moment(key, given[key]) for key in MOMENTS if given.get(key) is not None}
    return cast(GivenOptions, {**given, **moments})


def _moment(name: str, value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"{name} must be a time with a time zone.", "write it as 2030-01-31T09:00:00Z", f"$.{name}"
        ) from None


def _check_ranges(options: Wire) -> None:
    """The database refuses the same, but cannot say which line of a bulk and which option it is."""
    for name, (least, most) in RANGES.items():
        if not least <= options.get(name, least) <= most:
            raise InvalidOption(
                f"{name} must be an integer from {least} to {most:,} (got {options[name]}).", path=f"$.{name}"
            )
    if options.get("timeout", 1) <= 0:
        raise InvalidOption("timeout must be more than 0.", path="$.timeout")
    queue = options.get("queue")
    if queue is not None:
        if len(queue) > LONGEST_NAME:
            raise InvalidOption("queue must be a name of 1 to 200 characters.", path="$.queue")
        _refuse_reserved("queue", queue)


def _refuse_reserved(field: str, name: str) -> None:
    """As the SQL function is_reserved does."""
    if name in (".", ".."):
        raise InvalidOption(
            f'The name "{name}" is not allowed, because it cannot be part of a URL.',
            'choose a name that is neither "." nor ".."',
            f"$.{field}",
        )
    if name == INTERNAL_QUEUE or name.startswith(f"{INTERNAL_QUEUE}."):
        raise InvalidOption(
            f"The name {name} is reserved for Holdfast's own jobs.",
            'choose a name that is not holdfast and does not begin with "holdfast."',
            f"$.{field}",
        )


async def store_documents(on: Fetcher, batch: Sequence[NewJob]) -> list[Enqueued]:
    """One statement; the database chooses the queue of a job that names none."""
    common, varying = split_options([job.options for job in batch])
    return await jobs.enqueue_columns(
        on, [job.task for job in batch], [job.payload for job in batch], common, varying
    )
