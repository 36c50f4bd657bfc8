"""The README's programs and then the guides', in one database, in the order of reading."""

import asyncio
import inspect
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import holdfast
from tests.docs import (
    test_access_keys,
    test_agents,
    test_fastapi,
    test_http_api,
    test_http_workers,
    test_observe,
    test_pipelines,
    test_process_mode,
    test_progress,
    test_protect_a_model_server,
    test_readme,
    test_resources,
    test_schedules,
    test_serve,
    test_shared_results,
    test_testing,
    test_time_boxes,
    test_traces,
    test_your_own_transaction,
)
from tests.examples import test_roll_out
from tests.model_server import test_guide
from tests.repo.tree import ROOT

# In the order of the README's table, then by name. Each runs the programs of its page as they are printed.
PAGES: dict[str, list[Callable[..., Any]]] = {
    "README.md": [
        test_readme.test_the_program_runs_and_prints_what_it_promises,
        test_readme.test_the_program_for_an_llm_server_answers_a_question,
        test_readme.test_the_sql_runs_and_the_handler_answers_in_one_transaction,
    ],
    "pipelines.md": [test_pipelines.test_the_program_prints_what_the_page_says],
    "schedules.md": [test_schedules.test_the_program_prints_what_the_page_says],
    "agents.md": [test_agents.test_the_program_runs_and_each_post_goes_its_way],
    "time-boxes.md": [test_time_boxes.test_a_job_of_many_pages_goes_through_functions_of_three_seconds],
    "protect-a-model-server.md": [
        test_protect_a_model_server.test_the_program_runs_and_loses_nothing,
        test_protect_a_model_server.test_a_run_stops_at_its_budget_until_that_is_raised,
    ],
    "resources.md": [
        test_resources.test_the_program_fetches_and_stores_a_rate,
        test_resources.test_the_wrapper_reports_both_attempts,
    ],
    "shared-results.md": [test_shared_results.test_the_program_prints_what_the_page_says],
    "observe.md": [
        test_observe.test_the_hook_reports_the_dead_job,
        test_observe.test_the_filter_adds_the_job_to_a_line,
    ],
    "progress.md": [test_progress.test_the_program_prints_what_the_page_says],
    "traces.md": [test_traces.test_the_program_prints_its_spans],
    "migrating.md": [test_roll_out.test_the_scripts_start_the_new_worker_beside_the_old_and_switch_back],
    "http-api.md": [
        test_http_api.test_the_server_of_the_page_answers,
        test_http_api.test_the_producer_of_the_page_enqueues,
        test_http_api.test_the_run_of_the_page_is_sealed,
        test_http_api.test_the_watcher_of_the_page_follows_a_run,
    ],
    "http-workers.md": [
        test_http_workers.test_the_worker_of_the_page_does_its_jobs,
        test_http_workers.test_the_requests_of_the_page_run_the_jobs_of_the_app,
    ],
    "serve.md": [test_serve.test_its_app_has_the_task],
    "access-keys.md": [test_access_keys.test_the_calls_from_python_work],
    "fastapi.md": [
        test_fastapi.test_the_server_greets_by_its_own_worker,
        test_fastapi.test_the_server_with_a_lifespan_of_its_own_starts_and_ends,
    ],
    "orchestration.md": [test_time_boxes.test_a_run_brings_its_workers],
    "process-mode.md": [
        test_process_mode.test_the_program_runs_as_a_script_and_prints_what_it_promises,
        test_process_mode.test_the_command_line_runs_it_too,
    ],
    "simulate-a-model-server.md": [
        partial(test_guide.test_a_program_of_the_guide_runs, program) for program in test_guide.PROGRAMS
    ],
    "testing.md": [test_testing.test_the_tests_of_the_guide_pass],
    "your-own-transaction.md": [
        partial(test_your_own_transaction.test_the_program_stores_an_order_and_its_job, driver)
        for driver in test_your_own_transaction.PROGRAMS
    ],
}


@pytest.mark.slow
@pytest.mark.alone
def test_all_programs_run_in_one_database_one_after_the_other(
    empty_database_url: str, tmp_path: Path
) -> None:
    assert holdfast("migrate", url=empty_database_url).code == 0
    for page, programs in PAGES.items():
        place = tmp_path / page
        place.mkdir()
        given = {"database_url": empty_database_url, "server_url": empty_database_url, "tmp_path": place}
        for program in programs:
            try:
                run(program, given)
            except BaseException as exc:
                exc.add_note(f"in {page}, after {[*PAGES][: [*PAGES].index(page)]}")
                raise


def run(program: Callable[..., Any], given: dict[str, Any]) -> None:
    names = inspect.signature(program).parameters
    done = program(**{name: given[name] for name in names if name in given})
    if inspect.iscoroutine(done):
        asyncio.run(done)


def test_every_page_with_a_program_has_its_turn() -> None:
    with_programs = [page.name for page in guides() if "```python" in page.read_text()]
    assert sorted(PAGES) == sorted(["README.md", *with_programs])


def test_no_two_pages_use_the_same_queue() -> None:
    """A worker of one page would meet the jobs of the other, and wait for them."""
    used = Counter(
        queue
        for page in (ROOT / "README.md", *guides())
        for program in [re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)]
        if any("app = Holdfast(" in text for text in program)
        for queue in {*re.findall(r"""queue="([\w-]+)\"""", "\n".join(program))}
    )
    assert [queue for queue, pages in used.items() if pages > 1] == []


def guides() -> list[Path]:
    return sorted((ROOT / "docs" / "guides").glob("*.md"))
