"""Makes directories and programs usable for the server's account, without touching anyone else's."""

import stat
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.find_programs import NEEDED, Binaries
from holdfast.embedded.program_copies import copied_to
from holdfast.embedded.server_account import Account
from holdfast.embedded.server_paths import ROOT_DATA_DIR, default_data_dir


def make_root(data_dir: Path, account: Account) -> None:
    """Creates the data directory. Existing folders keep their modes, except an empty one of root.

    Root owns it and lets the account pass through; only the cluster and the socket belong to the account.
    """
    missing = [directory for directory in (data_dir, *data_dir.parents) if not directory.exists()]
    if account.is_other:
        _check_way(missing[-1].parent if missing else data_dir, data_dir, account)
    for directory in reversed(missing):
        directory.mkdir(exist_ok=True)
        directory.chmod(_mode(account))


def make_private(directory: Path, account: Account) -> None:
    """A user who may enter it can connect without a password, so no other user may own or enter it."""
    try:
        directory.mkdir(mode=0o700)
        account.give(directory)
    except FileExistsError:
        status = directory.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != account.uid or status.st_mode & 0o077:
            raise EmbeddedError(
                f"{directory} must be a private directory of uid {account.uid}, because it holds the "
                "server's socket. Remove the directory."
            ) from None


def usable_by(account: Account, binaries: Binaries) -> Binaries:
    """The binaries, or, if another account cannot run them where they are, a copy that it can."""
    if not account.is_other or _can_run(account, binaries):
        return binaries
    prefix = binaries.bin_dir.parent
    if not any((prefix / "share").rglob("postgres.bki")):
        raise _unusable(
            account, binaries, f"and {prefix} cannot be copied, because it is not a complete installation"
        )
    shelf = default_data_dir() / "programs"
    make_root(shelf, account)
    copied = copied_to(shelf, binaries)
    if not _can_run(account, copied):
        raise _unusable(account, binaries, f"nor their copy in {copied.bin_dir}")
    return copied


def _can_run(account: Account, binaries: Binaries) -> bool:
    return all(account.can_run(binaries.bin_dir / program) for program in NEEDED)


def _unusable(account: Account, binaries: Binaries, why: str) -> EmbeddedError:
    return EmbeddedError(
        f"PostgreSQL cannot run as root, and the user that it runs as (uid {account.uid}) cannot run the "
        f"programs in {binaries.bin_dir}, {why}. "
        "Set HOLDFAST_POSTGRES_BIN to programs that every user can run."
    )


def _check_way(existing: Path, data_dir: Path, account: Account) -> None:
    if account.can_enter(existing):
        return
    if existing == data_dir and existing.stat().st_uid == 0 and not any(existing.iterdir()):
        existing.chmod(_mode(account))
        if account.can_enter(existing):
            return
    raise EmbeddedError(
        f"PostgreSQL cannot run as root, and the user that it runs as (uid {account.uid}) cannot enter "
        f"{existing}. Set HOLDFAST_DATA_DIR to a directory whose parent directories every user can enter "
        f"(chmod o+x), such as {ROOT_DATA_DIR}."
    )


def _mode(account: Account) -> int:
    return 0o711 if account.is_other else 0o700
