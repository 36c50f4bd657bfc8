"""What the OpenAPI document says of a job that a request brings; `read_job` reads it."""

from collections.abc import Mapping
from typing import Any

from holdfast.api.request.body import OBJECT, SPAN, TEXT, VALUE, WORDS, Body, Schema, or_null
from holdfast.client.job_documents import PAYLOAD, RANGES, TASK

MOMENT: Schema = {"type": "string", "format": "date-time"}


def _whole(name: str) -> Schema:
    least, most = RANGES[name]
    return {"type": "integer", "minimum": least, "maximum": most}


# Each may be null, as if it were missing.
OPTIONS: Mapping[str, Schema] = {
    name: or_null(schema)
    for name, schema in {
        "queue": TEXT,
        "priority": _whole("priority"),
        "delay": SPAN,
        "run_at": MOMENT,
        "unique_key": WORDS,
        "unique_for": {**SPAN, "description": "Seconds, a text such as 24h, live or forever."},
        "order_key": WORDS,
        "labels": OBJECT,
        "timeout": SPAN,
        "deadline": MOMENT,
        "group": WORDS,
        "endpoint": WORDS,
        "max_failures": _whole("max_failures"),
        "retry": {"type": ["string", "array", "object"], "description": "A preset, delays, or a policy."},
        "estimate": {"type": "number", "minimum": 0},
        "origin": WORDS,
        "trace": {"type": ["string", "object"], "description": "A W3C traceparent."},
    }.items()
}


def job_body(example: Mapping[str, Any], task: str = TASK, payload: str = PAYLOAD, **more: Any) -> Body:
    """`task` and `payload`: what these two are called. `more`: of the body."""
    return Body({task: TEXT, payload: VALUE, **OPTIONS}, [task], example, **more)
