"""The embedded server: start or join, use, leave."""

import atexit
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from holdfast.embedded.cluster import Cluster
from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.find_programs import Binaries, find_binaries
from holdfast.embedded.launch import Launch, reap
from holdfast.embedded.lock import locked
from holdfast.embedded.log import tail
from holdfast.embedded.member_processes import Membership, has_live_members
from holdfast.embedded.ownership import make_private, make_root, usable_by
from holdfast.embedded.postmaster import find_postmaster, stop_postmaster
from holdfast.embedded.server_account import Account, account_for
from holdfast.embedded.server_paths import DATABASE, PORT, USER, ServerPaths, default_data_dir, socket_path
from holdfast.embedded.socket_probe import ProbeResult, probe

START_LIMIT = timedelta(seconds=120)


class EmbeddedServer:
    """A PostgreSQL server shared by all processes that name the same data directory.

    The last one to stop() stops the server; a process that exits normally stops by itself. A killed process
    is no longer counted; if it was the last, the server runs until the next one has started and stopped.
    Settings of PostgreSQL apply only if this object starts the server, not if it joins a running one. What is
    not set here or by `settings` can be set in the cluster's postgresql.conf.
    """

    def __init__(
        self,
        data_dir: Path | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        bin_dir: Path | None = None,
        start_limit: timedelta = START_LIMIT,
    ) -> None:
        self.data_dir = Path(data_dir or default_data_dir()).expanduser().resolve()
        self._settings = dict(settings or {})
        self._named_bin_dir = bin_dir
        self._start_limit = start_limit
        self._found: Binaries | None = None
        self._membership: Membership | None = None

    def start(self) -> str:
        """Starts the server, or joins the running one, and returns its DSN. Called again, restarts it if
        needed.
        """
        if os.name != "posix":
            raise EmbeddedError(
                "The embedded PostgreSQL needs Linux or macOS. Set HOLDFAST_DATABASE_URL to use your own "
                "server."
            )
        try:
            return self._start()
        except OSError as error:
            raise EmbeddedError(
                f"The embedded PostgreSQL in {self.data_dir} cannot be used: {error}. "
                "Fix this problem, or set HOLDFAST_DATA_DIR to another directory, or use your own server by "
                "setting HOLDFAST_DATABASE_URL."
            ) from error

    def stop(self) -> None:
        """Leaves; the last one stops the server. Without start() it does nothing."""
        membership, self._membership = self._membership, None
        if membership is None:
            return
        atexit.unregister(self.stop)
        if not self.data_dir.exists():
            # The directory was deleted: the server notices and ends by itself.
            membership.leave()
            return
        with locked(self._place.lock):
            membership.leave()
            if not has_live_members(self.data_dir):
                self._stop_server()
        reap()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def bin_dir(self) -> Path:
        return self._binaries.bin_dir

    @property
    def psql_path(self) -> Path:
        path = self.bin_dir / "psql"
        if not path.exists():
            raise EmbeddedError(
                f"The directory {self.bin_dir} has no psql. Install PostgreSQL's client programs there."
            )
        return path

    @property
    def postmaster_pid(self) -> int | None:
        """The process of the server, if it runs."""
        pgdata = self._place.pgdata
        if not pgdata.exists():
            return None
        return find_postmaster(pgdata, socket_path(self._place.socket_dir(pgdata.stat().st_uid)))

    def log_tail(self, lines: int = 30) -> str:
        return tail(self._place, lines)

    def _start(self) -> str:
        account = account_for(self._place.pgdata)
        make_root(self.data_dir, account)
        with locked(self._place.lock) as lock_descriptor:
            joined = self._membership or Membership(self.data_dir)
            try:
                self._bring_up(account, lock_descriptor)
            except BaseException:
                if self._membership is None:
                    joined.leave()
                raise
            if self._membership is None:
                self._membership = joined
                atexit.register(self.stop)
        return _dsn(self._place.socket_dir(account.uid))

    def _bring_up(self, account: Account, lock_descriptor: int) -> None:
        binaries = usable_by(account, self._binaries)
        durable = self._settings.get("fsync") != "off"
        Cluster(self._place, binaries, account, lock_descriptor, durable).ensure()
        socket_dir = self._place.socket_dir(account.uid)
        make_private(socket_dir, account)
        Launch(self._place, binaries, account, socket_dir, self._settings, self._start_limit).bring_up()

    def _stop_server(self) -> None:
        pgdata = self._place.pgdata
        socket_dir = self._place.socket_dir(pgdata.stat().st_uid)
        pid = self.postmaster_pid
        if pid is not None:
            stop_postmaster(pid, pgdata)
        elif probe(socket_path(socket_dir)) is not ProbeResult.ABSENT:
            raise EmbeddedError(
                f"The server in {pgdata} runs where this process cannot see it, perhaps in another "
                "container. Stop the server there."
            )
        if socket_dir.parent != self.data_dir:
            # Not empty if the server was killed; the next start clears it.
            with suppress(OSError):
                socket_dir.rmdir()

    @property
    def _place(self) -> ServerPaths:
        return ServerPaths(self.data_dir, self._binaries.major)

    @property
    def _binaries(self) -> Binaries:
        if self._found is None:
            self._found = find_binaries(self._named_bin_dir)
        return self._found


def _dsn(socket_dir: Path) -> str:
    return f"postgresql://{USER}@/{DATABASE}?host={quote(str(socket_dir))}&port={PORT}"
