"""The checksums of the migrations: databases record them, and a program with others refuses to migrate.

`python -m tests.migration.checksums` writes the file anew.
"""

from pathlib import Path

from holdfast.db.sql_files import SqlFiles, load_sql_files

FILE = Path(__file__).parent / "checksums.txt"


def checksums(files: SqlFiles) -> list[str]:
    return [f"{one.label} {one.checksum}" for one in files.migrations]


def recorded() -> list[str]:
    return FILE.read_text().splitlines()


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in checksums(load_sql_files())))
