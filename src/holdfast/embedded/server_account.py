"""The user that runs the server: the current one, or an unprivileged user, because postgres refuses root."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.embedded.embedded_error import EmbeddedError

if sys.platform != "win32":
    import pwd

# "nobody" before "postgres": a user who may run SQL here can run programs as this user,
# and the user postgres owns the system's own server.
UNPRIVILEGED = ("nobody", "daemon", "postgres")
# The caller's environment may hold secrets and PG* variables; the server needs neither.
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Account:
    """A user to run programs as; `is_other` if it is not the current user."""

    uid: int
    gid: int
    is_other: bool

    def run(
        self, command: Sequence[str | Path], *, text: str = "", keep_open: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end, its errors and output together in stdout."""
        return subprocess.run(
            command,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            pass_fds=keep_open,
            **self._surroundings(),
        )

    def start(self, command: Sequence[str | Path], output: int) -> subprocess.Popen[bytes]:
        """Starts a program in its own session, so that Ctrl-C in this terminal does not reach it."""
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **self._surroundings(),
        )

    def can_enter(self, directory: Path) -> bool:
        """Tried out, not computed from modes, because there are access lists too."""
        return self.run(["/bin/sh", "-c", 'cd "$1"', "sh", directory]).returncode == 0

    def can_run(self, program: Path) -> bool:
        return self.run(["/bin/sh", "-c", '"$1" --version', "sh", program]).returncode == 0

    def give(self, path: Path) -> None:
        if self.is_other:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def _surroundings(self) -> dict[str, Any]:
        user = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_other else {}
        return {"cwd": "/", "env": _environment(), "umask": 0o077, "start_new_session": True, **user}


def account_for(pgdata: Path) -> Account:
    """Root takes the owner of existing data, so that a user's server still opens for that user afterwards."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), is_other=False)
    if pgdata.exists() and (owner := pgdata.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, is_other=True)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, is_other=True)
    raise EmbeddedError(
        "PostgreSQL cannot run as root, and this system has no unprivileged user to run it as "
        f"({', '.join(UNPRIVILEGED)}). Create one with `useradd --system nobody`, "
        "or run Holdfast as an ordinary user."
    )


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}
