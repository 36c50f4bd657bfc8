"""Runs one of PostgreSQL's programs against the embedded server: `python -m holdfast.embedded psql`."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.server import EmbeddedServer


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m holdfast.embedded", description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("program", help="psql, pg_dump, pg_restore, ...")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    server = EmbeddedServer(options.data_dir)
    try:
        with server as dsn:
            return _run(server.bin_dir / options.program, dsn, options.arguments)
    except EmbeddedError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


def _run(program: Path, dsn: str, arguments: list[str]) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return subprocess.run([program, "--dbname", dsn, *arguments], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
