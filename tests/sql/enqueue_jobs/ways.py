"""The ways to enqueue the same jobs: each returns what a caller is told, or the refusal."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from holdfast.db import jobs
from holdfast.db.connect import Connection
from holdfast.model.payload import JsonText
from tests.builders import to_json

Options = dict[str, Any]
Told = list[tuple[Any, bool]]
Way = Callable[[Connection, list[str], list[Options]], Awaitable[Told]]

EACH = "select job_id, created from holdfast.enqueue_jobs(array['x'], $1::json[], '{}', $2::jsonb[])"
ALIKE = "select job_id, created from holdfast.enqueue_jobs(array['x'], $1::json[], $2)"
ONE = "select job_id, created from holdfast.enqueue_one('x', $1::json, $2)"
NAMED = """
select holdfast.enqueue('x', $1, queue => o ->> 'queue', priority => (o ->> 'priority')::integer,
  delay => make_interval(secs => (o ->> 'delay')::double precision), run_at => (o ->> 'run_at')::timestamptz,
  unique_key => o ->> 'unique_key', unique_for => o ->> 'unique_for', unique_scope => o ->> 'unique_scope',
  order_key => o ->> 'order_key', run => (o ->> 'run')::uuid, labels => o -> 'labels',
  timeout => make_interval(secs => (o ->> 'timeout')::double precision),
  deadline => (o ->> 'deadline')::timestamptz, "group" => o ->> 'group', endpoint => o ->> 'endpoint',
  max_failures => (o ->> 'max_failures')::integer, retry => o -> 'retry',
  trace => o ->> 'trace')
from (select $2::jsonb) as given (o)
"""


async def each_its_own(conn: Connection, payloads: list[str], options: list[Options]) -> Told:
    return _told(await conn.fetch(EACH, payloads, [to_json(one) for one in options]))


async def columns(conn: Connection, payloads: list[str], options: list[Options]) -> Told:
    """As the client sends them, but for options that all jobs share."""
    names = sorted(set().union(*options))
    varying = {name: [one.get(name) for one in options] for name in names}
    stored = await jobs.enqueue_columns(
        conn,
        ["x"],
        [JsonText(one) for one in payloads],
        {},
        varying or {"queue": [None] * len(payloads)},
    )
    return [(one.id, one.created) for one in stored]


async def one_by_one(conn: Connection, payloads: list[str], options: list[Options]) -> Told:
    rows = [
        await conn.fetchrow(ONE, payload, to_json(one))
        for payload, one in zip(payloads, options, strict=True)
    ]
    return _told([row for row in rows if row is not None])


async def with_arguments(conn: Connection, payloads: list[str], options: list[Options]) -> Told:
    """`holdfast.enqueue` returns the id alone; a job is new if it was not there before."""
    told: Told = []
    for payload, one in zip(payloads, options, strict=True):
        before = {row["id"] for row in await conn.fetch("select id from holdfast.jobs")}
        job = await conn.fetchval(NAMED, payload, json.dumps(one))
        told.append((job, job not in before))
    return told


async def alike(conn: Connection, payloads: list[str], options: list[Options]) -> Told:
    assert all(one == options[0] for one in options)
    return _told(await conn.fetch(ALIKE, payloads, to_json(options[0])))


def _told(rows: list[asyncpg.Record]) -> Told:
    return [(row["job_id"], row["created"]) for row in rows]
