"""Starts the server's process and waits until it accepts connections."""

import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.find_programs import Binaries
from holdfast.embedded.lock import open_private
from holdfast.embedded.log import LOG_SETTINGS, tail, tail_after_exit, trim
from holdfast.embedded.postmaster import disown_pid_file, find_postmaster, says_it_is_starting
from holdfast.embedded.server_account import Account
from holdfast.embedded.server_paths import PORT, ServerPaths, socket_path
from holdfast.embedded.socket_probe import ProbeResult, probe

SERVER_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "autovacuum_naptime": "5s",
    "timezone": "UTC",
    # The user is called holdfast: with "$user", a person's own tables would land in the schema holdfast.
    "search_path": "public",
}
# Backends of a killed server end a moment after it, and a server of a killed launcher may be a moment ahead
# of ours. Both problems pass.
PASSING_TROUBLES = ("pre-existing shared memory block", 'lock file "postmaster.pid" already exists')
RETRY_PAUSE_SECONDS = 0.2
POLL_SECONDS = 0.01
LONGEST_POLL_SECONDS = 0.25

# Kept so that a server's exit is reaped, and a server that lives on causes no ResourceWarning.
_launched: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True, slots=True)
class Launch:
    """What is needed to start one server."""

    place: ServerPaths
    binaries: Binaries
    account: Account
    socket_dir: Path
    settings: Mapping[str, str]
    limit: timedelta

    def bring_up(self) -> None:
        """Joins a live server, also one still recovering; else starts one. Called under the lock."""
        reap()
        deadline = time.monotonic() + self.limit.total_seconds()
        process: subprocess.Popen[bytes] | None = None
        pause = POLL_SECONDS
        while (answer := self._ask()) is not ProbeResult.READY:
            if time.monotonic() > deadline:
                raise self._too_slow()
            if answer is ProbeResult.ABSENT and not self._is_running(process):
                if process is not None:
                    self._check_passing(process)
                process = self._start()
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_POLL_SECONDS)

    def _ask(self) -> ProbeResult:
        """Does not probe a server whose pid file says that it is starting: each probe logs a FATAL."""
        if says_it_is_starting(self.place.pgdata):
            return ProbeResult.STARTING
        return probe(socket_path(self.socket_dir))

    def _is_running(self, process: subprocess.Popen[bytes] | None) -> bool:
        if process is not None and process.poll() is None:
            return True
        return find_postmaster(self.place.pgdata, socket_path(self.socket_dir)) is not None

    def _start(self) -> subprocess.Popen[bytes]:
        self._remove_traces()
        trim(self.place)
        self.place.start_log.unlink(missing_ok=True)
        output = open_private(self.place.start_log)
        try:
            process = self.account.start(self._command(), output)
        finally:
            os.close(output)
        _launched.append(process)
        return process

    def _remove_traces(self) -> None:
        """Postgres trusts the pid in these files if any process has it; here it is known not to be our
        server.
        """
        disown_pid_file(self.place.pgdata)
        socket = socket_path(self.socket_dir)
        socket.unlink(missing_ok=True)
        socket.with_name(f"{socket.name}.lock").unlink(missing_ok=True)

    def _command(self) -> list[str | Path]:
        settings = {**LOG_SETTINGS, **SERVER_SETTINGS, "unix_socket_directories": str(self.socket_dir)}
        if self.binaries.has_library("pg_stat_statements"):
            settings["shared_preload_libraries"] = "pg_stat_statements"
        command: list[str | Path] = [self.binaries.bin_dir / "postgres", "-D", self.place.pgdata]
        for name, value in {**settings, **self.settings}.items():
            command += ["-c", f"{name}={value}"]
        return command

    def _check_passing(self, process: subprocess.Popen[bytes]) -> None:
        log = tail_after_exit(self.place, process.pid, lines=30)
        if not any(trouble in log for trouble in PASSING_TROUBLES):
            raise EmbeddedError(
                f"PostgreSQL in {self.place.pgdata} ended while starting (exit status {process.returncode}). "
                f"The end of its log:\n{log}"
            )
        time.sleep(RETRY_PAUSE_SECONDS)

    def _too_slow(self) -> EmbeddedError:
        """Does not stop the server: an interrupted recovery would start over."""
        return EmbeddedError(
            f"PostgreSQL in {self.place.pgdata} is not ready after {self.limit.total_seconds():g} s. "
            f"If its log shows a recovery, run the command again to keep waiting. The end of its log:\n"
            f"{tail(self.place, lines=30)}"
        )


def reap() -> None:
    _launched[:] = [process for process in _launched if process.poll() is None]
