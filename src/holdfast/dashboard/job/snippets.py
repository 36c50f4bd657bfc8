"""A job as commands to copy: read it, or enqueue the same work again; each value quoted for its language."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.dashboard.job.facts import label_text
from holdfast.dashboard.json_code import MOST_AS_TEXT, json_text
from holdfast.model.job import Job, JobDetails

AUTHORISED = '-H "Authorization: Bearer $KEY"'


@dataclass(frozen=True, slots=True)
class Snippet:
    """`key` names it in the page; `words` is its language."""

    key: str
    words: str
    text: str


def read_snippets(job: Job) -> list[Snippet]:
    return [
        Snippet("read-curl", "curl", f'curl "$API/api/v1/jobs/{job.id}" {AUTHORISED}'),
        Snippet("read-python", "Python", f'job = await app.job("{job.id}").job()'),
        Snippet("read-sql", "SQL", f"select * from holdfast.get_job('{job.id}');"),
        Snippet("read-cli", "Command line", f"holdfast jobs show {job.id}"),
    ]


def enqueue_snippets(
    job: Job, details: JobDetails, is_scoped: bool = False, is_hidden: bool = False
) -> list[Snippet]:
    """Only SQL for a job in a pipeline, because it can name the stage, and for a payload that is too long to
    copy or `is_hidden`, because it can read it from the job.

    They leave out the unique key, so that a second job is stored, and run, deadline and trace, which belong
    to the first one.
    """
    options = _options(job, is_scoped)
    payload = f"{sql_text(json_text(job.payload))}::json"
    if is_hidden or len(payload) > MOST_AS_TEXT:
        payload = f"(select payload from holdfast.get_job('{job.id}'))"
    if details.pipeline is not None:
        placed = {**options, "pipeline": details.pipeline, "stage": job.stage}
        del placed["queue"]
        found = [Snippet("again-sql", "SQL", _sql_jobs(job, payload, placed))]
    elif payload.startswith("(select"):
        found = [Snippet("again-sql", "SQL", _sql(job, payload, options))]
    else:
        found = [
            Snippet("again-curl", "curl", _curl(job, options)),
            Snippet("again-python", "Python", _python(job, options)),
            Snippet("again-sql", "SQL", _sql(job, payload, options)),
            Snippet("again-cli", "Command line", _shell(job, options)),
        ]
    return [one for one in found if _is_safe(one.text) and (one.key != "again-cli" or _has_plain_labels(job))]


def _is_safe(text: str) -> bool:
    """What a terminal would obey when it is pasted has no place in it."""
    return all(line.isprintable() for line in text.split("\n"))


def _has_plain_labels(job: Job) -> bool:
    """The command line cannot write a label whose name has an equals sign, or is empty."""
    return all(name and "=" not in name for name in job.labels)


def _options(job: Job, is_scoped: bool) -> dict[str, Any]:
    """A key with a scope names no endpoint and no group."""
    found = {
        "queue": job.queue,
        "priority": job.priority,
        "order_key": job.order_key,
        "labels": job.labels or None,
        "timeout": job.timeout and job.timeout.total_seconds(),
        "group": None if is_scoped else job.group,
        "endpoint": None if is_scoped else job.endpoint,
        "max_failures": job.max_failures,
    }
    return {name: value for name, value in found.items() if value is not None}


def _curl(job: Job, options: Mapping[str, Any]) -> str:
    body = json_text({"task": job.task, "payload": job.payload, **options})
    return (
        f'curl -X POST "$API/api/v1/jobs" {AUTHORISED} \\\n'
        f"  -H 'Content-Type: application/json' --data-binary {shlex.quote(body)}"
    )


def _python(job: Job, options: Mapping[str, Any]) -> str:
    """With the app that has the task; a payload that is no object is the one argument of its handler."""
    given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    payload = f"**{job.payload!r}" if isinstance(job.payload, dict) else repr(job.payload)
    return f"await app.find_task({job.task!r}).options({given}).enqueue({payload})"


def _sql(job: Job, payload: str, options: Mapping[str, Any]) -> str:
    given = [f'"{name}" => {_sql_value(name, value)}' for name, value in options.items()]
    arguments = ",\n  ".join([sql_text(job.task), payload, *given])
    return f"select holdfast.enqueue(\n  {arguments});"


def _sql_jobs(job: Job, payload: str, options: Mapping[str, Any]) -> str:
    return (
        f"select job_id from holdfast.enqueue_jobs(\n  array[{sql_text(job.task)}], array[{payload}],\n"
        f"  {sql_text(json_text(dict(options)))}::jsonb);"
    )


def _sql_value(name: str, value: Any) -> str:
    match name:
        case "labels":
            return f"{sql_text(json_text(value))}::jsonb"
        case "timeout":
            return f"'{value!r} seconds'::interval"
        case _:
            return sql_text(value) if isinstance(value, str) else str(value)


def sql_text(value: str) -> str:
    """A literal, whatever standard_conforming_strings is; as quote_literal writes it."""
    quoted = value.replace("'", "''")
    return f"E'{quoted.replace(chr(92), chr(92) * 2)}'" if "\\" in quoted else f"'{quoted}'"


def _shell(job: Job, options: Mapping[str, Any]) -> str:
    given: list[str] = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if name == "labels":
            given += [f"--label={key}={label_text(one)}" for key, one in value.items()]
        else:
            given.append(f"{option}={value}")
    words = ["holdfast", "enqueue", *given, "--", job.task, json_text(job.payload)]
    return " ".join(map(shlex.quote, words))
