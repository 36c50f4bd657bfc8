"""The paths of one embedded server."""

import hashlib
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PORT = 5432
USER = "holdfast"
DATABASE = "holdfast"
# The server runs as another user than root, who cannot enter root's home.
ROOT_DATA_DIR = Path("/var/lib/holdfast")

# sun_path holds 104 bytes on macOS and 108 on Linux, with its closing zero.
SOCKET_PATH_LIMIT = 103
# A comma separates hosts in a DSN, and a quote separates directories in unix_socket_directories.
PLAIN_PATH = re.compile(r"[A-Za-z0-9._/ -]+")


@dataclass(frozen=True, slots=True)
class ServerPaths:
    """The files of one data directory, for servers of one major version."""

    root: Path
    major: int

    @property
    def pgdata(self) -> Path:
        return self.root / f"pg{self.major}"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def start_log(self) -> Path:
        return self.root / "start.log"

    def socket_dir(self, uid: int) -> Path:
        """In the data directory; in /tmp, under a unique name, if that path cannot be a socket address.

        Not $TMPDIR: it differs between processes, which would not find each other's server.
        """
        near = self.root / "socket"
        if self._fits(near):
            return near
        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        return Path(f"/tmp/holdfast-{uid}-{digest}")

    @staticmethod
    def _fits(directory: Path) -> bool:
        address = os.fsencode(socket_path(directory))
        return len(address) <= SOCKET_PATH_LIMIT and PLAIN_PATH.fullmatch(str(directory)) is not None


def socket_path(socket_dir: Path) -> Path:
    return socket_dir / f".s.PGSQL.{PORT}"


def default_data_dir() -> Path:
    """$HOLDFAST_DATA_DIR, or the user's data directory.

    A user without a usable home gets a directory in /var/tmp, which outlives a reboot.
    """
    if named := os.environ.get("HOLDFAST_DATA_DIR"):
        return Path(named).expanduser()
    if os.geteuid() == 0:
        return ROOT_DATA_DIR
    home = _user_data_home()
    if home is not None and _can_be_made(home):
        return home / "holdfast"
    lasting = Path("/var/tmp")
    parent = lasting if lasting.is_dir() else Path(tempfile.gettempdir())
    return parent / f"holdfast-{os.geteuid()}"


def _user_data_home() -> Path | None:
    # The XDG specification says to ignore a relative path.
    xdg = os.environ.get("XDG_DATA_HOME", "")
    if Path(xdg).is_absolute():
        return Path(xdg)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / "Library/Application Support" if sys.platform == "darwin" else home / ".local/share"


def _can_be_made(path: Path) -> bool:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    return os.access(existing, os.W_OK | os.X_OK)
