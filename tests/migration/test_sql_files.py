"""Migration 0001 is sql/schema/; later migrations are numbered files in sql/migrations/."""

import shutil
from pathlib import Path

import pytest

from holdfast.db.sql_files import SQL, Migration, load_sql_files
from tests.migration.checksums import checksums, recorded

CHANGED = """A database records the checksums of its migrations, and a program with others refuses it.
Before 0.1.0 is released sql/schema/ may change: run python -m tests.migration.checksums; databases of the
former state must be created anew. After the release no migration may change, not even a comment in
sql/schema/: add a file to sql/migrations/."""
ADDED = "A migration was added: python -m tests.migration.checksums records it."


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    """A copy to which a test can add migrations."""
    return Path(shutil.copytree(SQL, tmp_path / "sql"))


def later(sql: Path, *names: str) -> tuple[Migration, ...]:
    folder = sql / "migrations"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"-- {name}\n")
    return load_sql_files(sql).migrations[1:]


def test_the_first_migration_is_every_file_of_the_schema_in_order() -> None:
    first = load_sql_files().migrations[0]
    assert first.label == "0001_initial"
    texts = [path.read_text() for path in sorted((SQL / "schema").iterdir())]
    assert len(texts) > 10
    places = [first.text.index(text) for text in texts]
    assert places == sorted(places)
    assert len(first.text) == sum(map(len, texts)) + len(texts) - 1, "nothing else is in it"


def test_no_recorded_migration_has_changed() -> None:
    there = checksums(load_sql_files())
    assert [line for line in recorded() if line not in there] == [], CHANGED
    assert there == recorded(), ADDED


def test_a_change_of_a_comment_in_the_schema_would_be_noticed(sql: Path) -> None:
    with (sql / "schema" / "02_jobs.sql").open("a") as file:
        file.write("-- more words\n")
    assert checksums(load_sql_files(sql)) != recorded()


def test_the_folder_of_later_migrations_may_be_empty_or_missing(sql: Path) -> None:
    shutil.rmtree(sql / "migrations", ignore_errors=True)
    assert load_sql_files(sql).migrations == load_sql_files().migrations[:1]
    load_sql_files.cache_clear()
    assert later(sql) == ()


def test_later_migrations_follow_by_number(sql: Path) -> None:
    added = later(sql, "0003_then.sql", "0002_first.sql")
    assert [one.label for one in added] == ["0002_first", "0003_then"]
    assert added[0].text == "-- 0002_first.sql\n"


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (("0001_again.sql",), "0001_again.sql .* 0002_what_it_does.sql"),
        (("0002_one.sql", "0002_other.sql"), "0002_other.sql .* 0003_what_it_does.sql"),
        (("0002_one.sql", "0004_gap.sql"), "0004_gap.sql .* 0003_what_it_does.sql"),
        (("two.sql",), "two.sql .* 0002_what_it_does.sql"),
    ],
)
def test_a_migration_with_a_wrong_number_is_refused(sql: Path, names: tuple[str, ...], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        later(sql, *names)
