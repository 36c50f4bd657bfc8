"""Where the data go when nobody says."""

import os
from pathlib import Path

import pytest

from holdfast.embedded import default_data_dir
from holdfast.embedded.server_paths import SOCKET_PATH_LIMIT, ServerPaths, socket_path


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An ordinary user with a home, whoever runs the test."""
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("HOLDFAST_DATA_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return monkeypatch


def test_the_variable_decides(ordinary: pytest.MonkeyPatch) -> None:
    ordinary.setenv("HOLDFAST_DATA_DIR", "~/data")

    assert default_data_dir() == Path.home() / "data"


def test_a_user_s_data_go_to_the_user_s_data_directory(ordinary: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_data_dir() == tmp_path / ".local/share/holdfast"
    ordinary.setattr("sys.platform", "darwin")
    assert default_data_dir() == tmp_path / "Library/Application Support/holdfast"
    ordinary.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert default_data_dir() == tmp_path / "xdg/holdfast"
    ordinary.setenv("XDG_DATA_HOME", "relative")
    assert default_data_dir() == tmp_path / "Library/Application Support/holdfast"


def test_a_user_without_a_usable_home_gets_a_lasting_directory(ordinary: pytest.MonkeyPatch) -> None:
    ordinary.setenv("HOME", "/proc/nobody-can-write-here")
    ordinary.setattr(os, "access", lambda path, mode: not str(path).startswith("/proc"))
    assert default_data_dir() == Path("/var/tmp/holdfast-1234")

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    ordinary.setattr(Path, "home", no_home)
    assert default_data_dir() == Path("/var/tmp/holdfast-1234")


def test_root_s_data_go_where_another_user_can_reach_them(ordinary: pytest.MonkeyPatch) -> None:
    ordinary.setattr(os, "geteuid", lambda: 0)

    assert default_data_dir() == Path("/var/lib/holdfast")


@pytest.mark.parametrize("length", range(60, 110, 7))
def test_the_socket_s_path_always_fits_an_address(length: int) -> None:
    root = Path("/" + "d" * length)
    place = ServerPaths(root, 18)
    directory = place.socket_dir(uid=1234)

    assert len(os.fsencode(socket_path(directory))) <= SOCKET_PATH_LIMIT
    assert directory == place.socket_dir(uid=1234)
    fits = len(os.fsencode(socket_path(root / "socket"))) <= SOCKET_PATH_LIMIT
    assert (directory.parent == root) == fits


def test_two_long_paths_have_two_sockets() -> None:
    one, two = (ServerPaths(Path("/" + letter * 120), 18).socket_dir(uid=1) for letter in "ab")

    assert one != two
