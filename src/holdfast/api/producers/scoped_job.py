"""A new job with what its access key decides: its actor, and the scope of its unique and order keys."""

import hashlib
import json

from holdfast.client.new_job import NewJob
from holdfast.model.access_key import Caller
from holdfast.model.error import AccessDenied, InvalidOption

PLACES = ("endpoint", "group")  # they are shared by queues
IDEMPOTENT_FOR = 24 * 3600.0


def scoped_job(caller: Caller, job: NewJob, idempotency_key: str | None = None) -> NewJob:
    """The access key is the job's claimed actor. What a key with a scope names as unique or order key holds
    within that scope, so that it meets no job of another.
    """
    options = {**job.options, "actor": caller.name}
    if caller.scope is not None:
        for name in PLACES:
            if name in options:
                raise no_place(caller, name)
        if "unique_key" in options:
            options["unique_scope"] = f"{caller.scope} {job.task}"
        if "order_key" in options:
            options["order_key"] = f"{caller.scope} {options['order_key']}"
    if idempotency_key is not None:
        if "unique_key" in options:
            raise InvalidOption("Idempotency-Key and unique_key cannot be combined.", "send one of the two")
        asked = json.dumps(job.options, sort_keys=True).encode()
        options |= {
            "unique_key": idempotency_key,
            "unique_scope": f"access key {caller.key}",
            "unique_for": IDEMPOTENT_FOR,
            "unique_request": hashlib.sha256(asked).hexdigest(),
        }
    return NewJob(job.task, job.payload, options)


def no_place(caller: Caller, name: str) -> AccessDenied:
    return AccessDenied(
        f"The access key {caller.name} is limited to some queues or tasks, so it cannot set {name}.",
        f"set the {name} of the queue or the task instead, or use a key for all queues and tasks",
    )
