"""`holdfast import`: each pending row becomes one job, however often it is started."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.cli.command import Result, environment, holdfast
from tests.cli.test_roles import as_role

IMPORT_KEYS = {"table", "pending", "enqueued", "existing", "refused", "refusals", "dry_run"}
TABLE = """
create table "Old Queue" (
  id text primary key, "State" text default 'pending', body text, urgent bigint, due timestamp
);
"""
MAPPING = """
id = "id"
pending = "\\"State\\" = 'pending' -- a comment ends here"
task = "send"
queue = "mail"
payload = { column = "body" }
priority = { column = "urgent" }
run_at = { column = "due", zone = "Europe/Berlin" }
labels = { was = { column = "id" } }
"""


def sql(url: str, *statements: str) -> list[object]:
    async def run() -> list[object]:
        conn = await asyncpg.connect(url)
        found = [await conn.fetchval(statement) for statement in statements]
        await conn.close()
        return found

    return asyncio.run(run())


class Import:
    """A table, a mapping, and the command on both."""

    def __init__(self, url: str, path: Path) -> None:
        self.url, self.file = url, path / "m.toml"
        self.map(MAPPING)
        sql(url, TABLE)

    def map(self, text: str) -> None:
        self.file.write_text(text)

    def add(self, *rows: tuple[str, str, object]) -> None:
        for name, body, urgent in rows:
            value = "null" if urgent is None else urgent
            sql(self.url, f"""insert into "Old Queue" values ('{name}', 'pending', '{body}', {value})""")

    def run(self, *more: str, table: str = '"Old Queue"') -> Result:
        return holdfast("import", "--table", table, "--map", str(self.file), *more, url=self.url)

    def counts(self, *more: str) -> tuple[int, ...]:
        found = self.run("--json", *more).document
        assert found.keys() == IMPORT_KEYS
        return tuple(found[name] for name in ("pending", "enqueued", "existing", "refused"))


@pytest.fixture
def old(database_url: str, tmp_path: Path) -> Import:
    return Import(database_url, tmp_path)


def test_an_import_that_is_started_again_adds_only_what_is_new_also_after_the_jobs_ended(old: Import) -> None:
    old.add(("a", '{"n": 1}', 70), ("b", '{"n": 2}', None))
    assert old.counts("--dry-run") == (2, 2, 0, 0)
    assert sql(old.url, "select count(*) from holdfast.job_view") == [0], "a dry run stores nothing"
    assert old.counts() == (2, 2, 0, 0)
    sql(old.url, "select count(*) from holdfast.cancel_jobs(array(select id from holdfast.job_view))")
    old.add(("c", "{}", 1))
    assert old.counts("--dry-run") == (3, 1, 2, 0)
    assert old.counts() == (3, 1, 2, 0)
    listed = holdfast("jobs", "list", "--json", url=old.url).document["jobs"]
    assert sorted((one["unique_key"], one["priority"], one["origin"], one["labels"]) for one in listed) == [
        ("a", 70, "import", {"was": "a"}),
        ("b", 50, "import", {"was": "b"}),
        ("c", 1, "import", {"was": "c"}),
    ]


def test_refused_rows_are_reported_with_id_and_reason_and_the_others_are_enqueued(old: Import) -> None:
    old.add(("a", "{}", 1), ("b", "not JSON", 1), ("c", "{}", 101), ("d", "[1", 5), ("e", "{}", 2))
    old.add(("f", "{}", 2**31))  # beyond the type of the column, not only beyond the highest priority
    assert old.counts("--dry-run") == (6, 2, 0, 4)
    done = old.run("--report", str(old.file.with_name("refused")))
    assert (done.code, "already there" in done.out) == (1, True)
    written = [json.loads(line) for line in old.file.with_name("refused").read_text().splitlines()]
    assert sorted(one["id"] for one in written) == ["b", "c", "d", "f"]
    reasons = {one["id"]: one["reason"] for one in written}
    assert "body is not JSON" in reasons["b"]
    assert "priority" in reasons["c"]
    assert all(reason in done.out for reason in reasons.values())
    sql(old.url, """update "Old Queue" set body = '{"changed": true}', urgent = 3""")
    assert old.counts() == (6, 4, 0, 2), "a row that became another job is refused, not silently ignored"


def test_a_table_of_another_database_can_be_read(old: Import, empty_database_url: str) -> None:
    there = Import(empty_database_url, old.file.parent)
    there.add(("x", "{}", 1))
    assert old.counts("--from", empty_database_url) == (1, 1, 0, 0)
    assert sql(old.url, "select unique_key from holdfast.job_view") == ["x"]


def test_the_same_table_in_several_databases_has_a_scope_in_each(
    old: Import, empty_database_url: str
) -> None:
    old.add(("x", '{"here": 1}', 1))
    Import(empty_database_url, old.file.parent).add(("x", '{"there": 1}', 1))
    assert old.counts() == (1, 1, 0, 0)
    for url in (empty_database_url, old.url):
        assert old.counts("--from", url) == (1, 1, 0, 0), "the same id is another row"
        assert old.counts("--from", url) == (1, 0, 1, 0)
    names = [urlsplit(url).path[1:] for url in (empty_database_url, old.url)]
    scopes = sql(old.url, "select array_agg(unique_scope order by id) from holdfast.jobs")[0]
    assert scopes == ["public.Old Queue", *(f"{name}.public.Old Queue" for name in names)]
    old.map(f'scope = "old"\n{MAPPING}')
    assert old.counts("--from", empty_database_url) == (1, 1, 0, 0)
    assert old.counts() == (1, 0, 0, 1), "in one scope it is another payload of the same row"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("body", "bdy", ["line 6", "has no column bdy", "urgent, due"]),
        ("'pending' --", "pending --", ["line 3", 'column "pending" does not exist']),
        (" -- a comment", "; drop table holdfast.jobs; --", ["line 3", "syntax error"]),
        (', zone = "Europe/Berlin"', "", ["line 8", "due has no time zone", 'zone = "UTC"']),
        ("Europe/Berlin", "Nowhere", ["line 8", "Nowhere"]),
        ("urgent", "colour", ["line 7", "has no column colour"]),
        ('column = "due"', 'column = "urgent"', ["line 8", "urgent is bigint, not a time"]),
    ],
)
def test_a_mapping_that_does_not_fit_the_table_is_refused_with_its_line(
    old: Import, before: str, after: str, words: list[str]
) -> None:
    old.map(MAPPING.replace(before, after))
    old.add(("a", "{}", 1))
    done = old.run()
    assert done.code == 2, done
    assert [word for word in words if word not in done.err] == []


@pytest.mark.parametrize("table", ["old queue", "missing", "x.y.z.w", '"unfinished'])
def test_a_table_that_is_none_is_not_found(old: Import, table: str) -> None:
    assert old.run(table=table).code == 5


def test_a_producer_imports_what_it_may_read(old: Import) -> None:
    old.add(("a", "{}", 1))
    old.url = as_role(old.url, "producer")
    refused = old.run()
    assert (refused.code, "grant select on the table" in refused.err) == (1, True)
    sql(old.url.partition("&role")[0], 'grant select on "Old Queue" to holdfast_producer')
    assert old.counts() == (1, 1, 0, 0)


MANY = 20_000
JOBS = "select count(*) from holdfast.job_view"


@pytest.mark.slow
@pytest.mark.alone
def test_an_import_of_many_pages_that_is_killed_goes_on_and_stores_each_row_once(old: Import) -> None:
    sql(
        old.url,
        f"""insert into "Old Queue" select i, 'pending', '{{}}' from generate_series(1, {MANY - 1}) as i""",
        """insert into "Old Queue" values ('bad', 'pending', 'no JSON')""",
    )
    words = ("import", "--table", '"Old Queue"', "--map", str(old.file))
    process = subprocess.Popen([sys.executable, "-m", "holdfast", *words], env=environment(old.url))
    while sql(old.url, JOBS) == [0]:
        time.sleep(0.01)
    process.kill()
    process.wait()
    (before,) = sql(old.url, JOBS)
    assert isinstance(before, int)
    assert 0 < before < MANY - 1, "it was killed between two pages"
    assert old.counts() == (MANY, MANY - 1 - before, before, 1)
    rows = "select count(distinct labels ->> 'was') from holdfast.job_view"
    assert sql(old.url, JOBS, rows) == [MANY - 1] * 2


def test_rows_that_are_not_those_that_were_counted_are_reported(old: Import) -> None:
    old.add(("a", "{}", 1), ("b", "{}", 1), ("c", "{}", 1))
    counting = "current_query() like '%cou' || 'nt(%'"  # and not the statement that reads the rows
    old.map(f'''id = "id"\ntask = "send"\npayload = {{ column = "body" }}\npending = "{counting}"\n''')
    refused = old.run()
    assert refused.code == 1
    assert "3 rows were pending, but 0 were read" in refused.err
