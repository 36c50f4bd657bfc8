"""Which live processes use the server: each locks its own file.

The lock of a killed member disappears with it, so members are counted by trying their locks. All of this
runs under the data directory's lock.
"""

import os
import secrets
from pathlib import Path

from holdfast.embedded.lock import open_private, try_lock

PREFIX = "member-"


class Membership:
    """Held from join to leave."""

    def __init__(self, data_dir: Path) -> None:
        self._descriptor = open_private(data_dir / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}")
        try_lock(self._descriptor)

    def leave(self) -> None:
        """Only closes the file: an explicit unlock would also end the membership of the parent process."""
        os.close(self._descriptor)


def has_live_members(data_dir: Path) -> bool:
    """Also removes the files of dead members."""
    live = [member for member in data_dir.glob(f"{PREFIX}*") if _is_live(member)]
    return bool(live)


def _is_live(member: Path) -> bool:
    descriptor = os.open(member, os.O_RDWR | os.O_NOFOLLOW)
    try:
        if not try_lock(descriptor):
            return True
        member.unlink()
        return False
    finally:
        os.close(descriptor)
