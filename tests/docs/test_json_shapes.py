"""docs/json.md names exactly the keys that the commands are tested to print."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from chaos.count_ends import Counted
from holdfast.model.audit import SettingChange
from holdfast.model.recorded_call import Call
from holdfast.model.stats import CallStats, ErrorGroup, ErrorTotal, TimeParts
from tests.cli import (
    test_audit,
    test_dead,
    test_endpoints,
    test_flags,
    test_import,
    test_invariants,
    test_jobs,
    test_keys,
    test_metrics,
    test_moves,
    test_pipelines,
    test_report,
    test_rollouts,
    test_runs_and_queues,
    test_schedules,
    test_stats,
)

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
ROW = re.compile(r"^\| (?P<what>\w+) \| .* \| (?P<keys>`[^|]*`) \|$", re.MULTILINE)

SHAPES = {
    "job": test_jobs.JOB_KEYS,
    "checkpoint": test_jobs.CHECKPOINT_KEYS,
    "call": {one.name for one in fields(Call)},
    "run": test_runs_and_queues.RUN_KEYS,
    "progress": test_runs_and_queues.PROGRESS_KEYS,
    "queue": test_runs_and_queues.QUEUE_KEYS,
    "policy": test_runs_and_queues.POLICY_KEYS,
    "worker": test_runs_and_queues.WORKER_KEYS,
    "flag": test_flags.KEYS,
    "left": test_metrics.LEFT_KEYS,
    "sample": test_metrics.SAMPLE_KEYS,
    "pair": test_moves.PAIR_KEYS,
    "balance": test_moves.ROUND_KEYS,
    "metric": test_metrics.METRIC_KEYS,
    "value": test_metrics.VALUE_KEYS,
    "need": test_runs_and_queues.NEED_KEYS,
    "letter": test_dead.LETTER_KEYS,
    "statistics": test_stats.STATS_KEYS,
    "report": test_report.REPORT_KEYS,
    "ends": test_report.ENDS_KEYS,
    "error": {one.name for one in fields(ErrorGroup)},
    "total": {one.name for one in fields(ErrorTotal)},
    "calls": {one.name for one in fields(CallStats)},
    "parts": {one.name for one in fields(TimeParts)},
    "schedule": test_schedules.KEYS,
    "endpoint": test_endpoints.KEYS,
    "change": {one.name for one in fields(SettingChange)},
    "rollout": test_rollouts.ROLLOUT_KEYS,
    "imported": test_import.IMPORT_KEYS,
    "event": test_audit.EVENT_KEYS,
    "day": test_audit.DAY_KEYS,
    "key": test_keys.KEYS,
    "secret": test_keys.SECRET_KEYS,
    "pipeline": test_pipelines.PIPELINE_KEYS,
    "stage": test_pipelines.STAGE_KEYS,
    "violation": test_invariants.VIOLATION_KEYS,
    "counted": {one.name for one in fields(Counted)} | {"passed"},
}


@pytest.mark.parametrize("what", SHAPES)
def test_the_page_names_the_keys_that_are_printed(what: str) -> None:
    documented = {
        row["what"]: set(re.findall(r"`(\w+)`", row["keys"])) for row in ROW.finditer(PAGE.read_text())
    }
    assert documented[what] == SHAPES[what]
