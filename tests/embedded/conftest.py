"""Clusters copied from one template, and the end of everything that a test left running."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from holdfast.embedded import EmbeddedServer
from tests.embedded.running import FAST, fast_server, pgdata_of
from tests.patience import PATIENCE

MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 2 * 1024**3


@pytest.fixture(scope="session")
def fast_disk() -> Path:
    """A file system in memory where there is a large one: a cluster is a thousand small files."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ENOUGH_BYTES:
        return Path("/tmp")
    unfit = os.statvfs(MEMORY).f_flag & os.ST_NOEXEC or not os.access(MEMORY, os.W_OK)
    return Path("/tmp") if unfit else MEMORY


@pytest.fixture
def short_dir(fast_disk: Path) -> Iterator[Path]:
    """Not tmp_path: the server's account cannot enter it when root runs the tests, and it is long."""
    directory = open_directory(fast_disk)
    yield directory
    end_processes_in(directory)
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def cluster_template(fast_disk: Path) -> Iterator[Path]:
    directory = open_directory(fast_disk)
    with EmbeddedServer(directory, settings=FAST):
        pass
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def data_dir(cluster_template: Path) -> Iterator[Path]:
    """A data directory with a cluster in it, not running. Tests may kill its server, not damage it."""
    yield cluster_template
    if (pgdata_of(cluster_template) / "postmaster.pid").exists():
        end_processes_in(cluster_template)


@pytest.fixture
def own_data_dir(cluster_template: Path, short_dir: Path) -> Path:
    """A copy that the test may damage."""
    directory = short_dir / "data"
    subprocess.run(["cp", "-a", cluster_template, directory], check=True)
    for log in (pgdata_of(directory) / "log").iterdir():
        log.unlink()
    return directory


@pytest.fixture
def server(data_dir: Path) -> Iterator[EmbeddedServer]:
    """On that cluster, not started; stopped at the end."""
    made = fast_server(data_dir)
    yield made
    made.stop()


def open_directory(parent: Path) -> Path:
    directory = Path(tempfile.mkdtemp(prefix="hf-", dir=parent))
    directory.chmod(0o711)
    return directory


def end_processes_in(directory: Path) -> None:
    """A postmaster and its children work in their data directory; a test that fails may leave them."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd().startswith(f"{directory}{os.sep}"):
                process.kill()
                process.wait(PATIENCE)
