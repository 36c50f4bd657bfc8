"""The check of `./dev lint` for wide lines of SQL finds them."""

from pathlib import Path

from tests.repo.sql_width import WIDTH, files, too_wide
from tests.repo.tree import ROOT


def test_a_wide_line_is_found_by_its_characters(tmp_path: Path) -> None:
    file = tmp_path / "wide.sql"
    file.write_text("€" * WIDTH + "\n" + "x" * (WIDTH + 1) + "\n", "utf-8")
    (found,) = too_wide(file)
    assert found.startswith(f"{file}:2: {WIDTH + 1} characters")


def test_every_folder_is_checked() -> None:
    folders = {path.parent.name for path in files()}
    assert {"base", "job", "parts", "schema", "sql", "clients", "flow"} <= folders


def test_lint_runs_the_check() -> None:
    assert 'check "python -m tests.repo.sql_width"' in (ROOT / "dev").read_text()
