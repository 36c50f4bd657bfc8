"""The example mappings import tables as two of the systems have them."""

import json
from pathlib import Path
from typing import Any

import pytest

from holdfast.client.import_rows import ImportResult, import_rows
from holdfast.db.connect import Database
from holdfast.model.import_mapping import read_mapping
from tests.repo.tree import ROOT

ALERTS = """
create table alert_queue (
  id bigserial primary key,
  trigger_type varchar(20) not null,
  alert_id uuid not null,
  payload jsonb not null,
  priority integer default 5,
  status varchar(20) default 'pending',
  retry_count integer default 0,
  max_retries integer default 3,
  created_at timestamp default now(),
  scheduled_for timestamp default now(),
  locked_at timestamp,
  locked_by varchar(100),
  completed_at timestamp,
  error_message text
);
insert into alert_queue (trigger_type, alert_id, payload, priority, max_retries, status, scheduled_for)
select
  case when priority = 1 then 'new_alert' else 'bulk_upload' end,
  gen_random_uuid(), jsonb_build_object('place', place), priority, 5, status, '2100-01-01 12:00'
from unnest('{1,5,10,1}'::integer[], '{pending,pending,pending,completed}'::text[]) with ordinality
  as u (priority, status, place);
"""
ANALYSES = """
create table analysis_queue (
  id uuid primary key default gen_random_uuid(),
  analysis_run_id uuid,
  query_id uuid default gen_random_uuid(),
  status text default 'pending',
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  processor_id uuid,
  attempts integer default 0,
  max_attempts integer default 3,
  error text,
  last_error_timestamp timestamptz,
  retry_after timestamptz,
  processing_time_ms integer,
  priority integer default 0,
  worker_group text,
  batch_id uuid,
  checkpoint_data jsonb,
  recovery_attempts integer default 0
);
insert into analysis_queue (
  analysis_run_id, created_at, attempts, retry_after, priority, worker_group, checkpoint_data
)
select '11111111-1111-1111-1111-111111111111', now() - u.place * interval '1 minute', u.tried, u.retry_after,
  u.priority, u.worker_group, u.saved
from rows from (
  unnest('{0,1,3}'::integer[]), unnest('{null,2100-01-01 12:00+00,null}'::timestamptz[]),
  unnest('{0,10,5}'::integer[]), unnest('{null,initial,null}'::text[]),
  unnest(array[null, '{"last_processed_index": 4}', null]::jsonb[])
) with ordinality as u (tried, retry_after, priority, worker_group, saved, place);
"""
JOBS = """
select
  task, queue, priority, state, payload, labels, due_at at time zone 'UTC' as due_at, max_failures, "group",
  origin, unique_scope
from holdfast.job_view
order by priority desc
"""


async def imported(database_url: str, tables: str, table: str) -> tuple[ImportResult, list[dict[str, Any]]]:
    path = ROOT / "examples" / "mappings" / f"{table}.toml"
    async with Database(database_url) as database:
        await database.execute(tables)
        found = await import_rows(database, table, read_mapping(path.read_text(), path.name), "Ada")
        return found, [dict(row) for row in await database.fetch(JOBS)]


async def test_alerts_keep_their_order_although_their_priorities_are_inverted(database_url: str) -> None:
    result, jobs = await imported(database_url, ALERTS, "alert_queue")
    assert (result.pending, result.enqueued, result.refused) == (3, 3, 0)
    assert [(job["task"], job["priority"], json.loads(job["payload"])) for job in jobs] == [
        ("match_alert", 100, {"place": 1}),
        ("match_bulk", 56, {"place": 2}),
        ("match_bulk", 0, {"place": 3}),
    ]
    for job in jobs:
        assert (job["queue"], job["state"], job["max_failures"]) == ("alerts", "scheduled", 5)
        assert (job["origin"], job["unique_scope"]) == ("import", "public.alert_queue")
        assert str(job["due_at"]) == "2100-01-01 12:00:00"
        assert json.loads(job["labels"]).keys() == {"alert", "trigger_type"}


async def test_queries_keep_their_run_checkpoint_group_and_rest(database_url: str) -> None:
    result, jobs = await imported(database_url, ANALYSES, "analysis_queue")
    assert (result.pending, result.enqueued) == (2, 2), "the third has used up its attempts"
    urgent, other = jobs
    assert (urgent["priority"], urgent["state"], urgent["group"]) == (100, "scheduled", "initial")
    assert (other["priority"], other["state"], other["group"]) == (0, "ready", "")
    assert json.loads(urgent["payload"])["checkpoint"] == {"last_processed_index": 4}
    assert json.loads(other["payload"]).keys() == {"run", "query", "checkpoint"}
    assert json.loads(other["labels"]) == {"analysis_run": "11111111-1111-1111-1111-111111111111"}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples" / "mappings").glob("*.toml")), ids=lambda path: path.stem
)
def test_every_example_mapping_is_valid(path: Path) -> None:
    assert "task" in read_mapping(path.read_text(), path.name).options
