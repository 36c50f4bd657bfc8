"""docs/sql.md is current, complete and true."""

import re
import subprocess

import asyncpg
import pytest

from holdfast.db.embedded import find_psql
from holdfast.db.needed_role import granted_verbs
from tests.docs.page import blocks, links
from tests.docs.sql_reference import PAGE, SECTIONS, errors_of, page, public_functions, public_views
from tests.patience import PATIENCE
from tests.repo.tree import ROOT

STATES = "select payload ->> 'to', state from holdfast.job_view order by priority desc"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.docs.sql_reference"


def test_every_verb_and_view_is_on_the_page_once() -> None:
    headings = re.findall(r"^### (\w+)$", page(), re.MULTILINE)
    granted = {verb for verbs in granted_verbs().values() for verb in verbs}
    assert len(headings) == len(set(headings))
    assert granted | {"now", "created_at"} | {one.name for one in public_views()} == set(headings)


def test_every_section_has_functions() -> None:
    assert re.findall(r"^## ([\w ]+)\n(?:.*\n){1,4}?\[", page(), re.MULTILINE) == [*SECTIONS, "Views"]


@pytest.mark.parametrize(
    ("verb", "errors"),
    [
        ("claim_jobs", {"HF002", "HF006"}),
        ("enqueue", {"HF001", "HF002", "HF003", "HF004", "HF005", "HF006"}),
        ("pause_queue", {"HF004"}),
        ("replace_job", {"HF001", "HF002", "HF003", "HF004", "HF005", "HF006"}),
        ("replay_jobs", {"HF002"}),
        ("held_jobs", set()),
    ],
)
def test_the_errors_of_a_verb_are_those_it_can_raise(verb: str, errors: set[str]) -> None:
    assert errors_of(verb) == errors


def test_every_error_that_a_verb_can_raise_is_explained() -> None:
    explained = set(re.findall(r"^\| `(HF\d{3})` \|", PAGE.read_text(), re.MULTILINE))
    assert frozenset().union(*(errors_of(one.name) for one in public_functions())) == explained


async def test_the_worker_in_plain_sql_works(database_url: str) -> None:
    (script,) = [text for heading, text in blocks("sql.md", "sql") if heading == "A worker in plain SQL"]
    psql = find_psql()
    assert psql is not None
    done = subprocess.run(
        [psql, "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", database_url],
        input=script,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    conn = await asyncpg.connect(database_url)
    states = {row[0]: row[1] for row in await conn.fetch(STATES)}
    lost = await conn.fetchval("select id::text from holdfast.job_view where state = 'ready'")
    await conn.close()
    assert states == {"ada@example.org": "completed", "no such address": "dead", "grace@example.org": "ready"}
    assert done.stdout.splitlines()[-2:] == ["1", lost], "it gave one job back, and its late end was refused"


def test_the_links_lead_somewhere() -> None:
    assert [link for link in links("sql.md") if not (ROOT / "docs" / link).exists()] == []
