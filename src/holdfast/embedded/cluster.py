"""Creates the cluster in the data directory, completely or not at all, and refuses another version's."""

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.find_programs import Binaries
from holdfast.embedded.server_account import Account
from holdfast.embedded.server_paths import DATABASE, USER, ServerPaths

UNFINISHED = "init-"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The data of one server. Used under the lock, whose descriptor its programs inherit."""

    place: ServerPaths
    binaries: Binaries
    account: Account
    lock_descriptor: int
    durable: bool

    def ensure(self) -> None:
        if (self.place.root / "PG_VERSION").exists():
            raise EmbeddedError(
                f"Holdfast cannot use {self.place.root}, because it already is a PostgreSQL data directory. "
                "Set HOLDFAST_DATA_DIR to another directory."
            )
        if self.place.pgdata.exists() and any(self.place.pgdata.iterdir()):
            self._check()
        else:
            self._refuse_other_majors()
            self._initialise()

    def _check(self) -> None:
        pgdata = self.place.pgdata
        if (owner := pgdata.stat().st_uid) != self.account.uid:
            raise EmbeddedError(
                f"{pgdata} belongs to another user (uid {owner}). "
                "Run Holdfast as that user or as root, or set HOLDFAST_DATA_DIR to another directory."
            )
        version = pgdata / "PG_VERSION"
        written = version.read_text().strip() if version.exists() else "missing"
        if written != str(self.place.major):
            raise EmbeddedError(
                f"{pgdata} does not hold data of PostgreSQL {self.place.major} (PG_VERSION: {written}). "
                "Move the directory away, or set HOLDFAST_DATA_DIR to another one."
            )

    def _refuse_other_majors(self) -> None:
        names = (re.fullmatch(r"pg(\d+)", path.name) for path in self.place.root.iterdir())
        old = max((int(name[1]) for name in names if name), default=self.place.major)
        if old == self.place.major:
            return
        root = self.place.root
        run = f"python -m holdfast.embedded --data-dir '{root}'"
        raise EmbeddedError(
            f"{root} holds data of PostgreSQL {old}, but the programs in {self.binaries.bin_dir} are "
            f"PostgreSQL {self.place.major}. Dump with the old programs and restore with the new ones:\n"
            f"  HOLDFAST_POSTGRES_BIN=/usr/lib/postgresql/{old}/bin {run} pg_dump > holdfast.sql\n"
            f"  mv '{root}/pg{old}' '{root}/pg{old}.old'\n"
            f"  {run} psql -v ON_ERROR_STOP=1 -f holdfast.sql\n"
            f"or stay with PostgreSQL {old} by setting HOLDFAST_POSTGRES_BIN to its programs."
        )

    def _initialise(self) -> None:
        """The cluster gets its name when it is complete; an interrupted start leaves no partial cluster.

        The programs inherit the lock: if this process is killed they continue for a moment, and no other
        process removes their files.
        """
        for unfinished in self.place.root.glob(f"{UNFINISHED}*"):
            shutil.rmtree(unfinished)
        fresh = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=self.place.root))
        self.account.give(fresh)
        try:
            self._run_initdb(fresh)
            self._create_database(fresh)
            fresh.rename(self.place.pgdata)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        _sync_directory(self.place.root)

    def _run_initdb(self, fresh: Path) -> None:
        options: list[str | Path] = [
            f"--username={USER}",
            "--auth-local=trust",
            "--auth-host=reject",
            "--data-checksums",
        ]
        options += ["--encoding=UTF8", "--locale=C"]
        if not self.durable:
            options.append("--no-sync")
        self._run([self.binaries.bin_dir / "initdb", "--pgdata", fresh, *options])

    def _create_database(self, fresh: Path) -> None:
        """In single-user mode, before anyone can see the cluster."""
        single: list[str | Path] = [
            self.binaries.bin_dir / "postgres",
            "--single",
            "-D",
            fresh,
            "-c",
            "exit_on_error=on",
        ]
        self._run([*single, "postgres"], text=f"create database {DATABASE};\n")

    def _run(self, command: list[str | Path], text: str = "") -> None:
        ended = self.account.run(command, text=text, keep_open=[self.lock_descriptor])
        if ended.returncode != 0:
            raise EmbeddedError(
                f"PostgreSQL could not create its data in {self.place.root} "
                f"({command[0]}, exit status {ended.returncode}):\n{ended.stdout.strip()}"
            )


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
