"""An embedded database of a development version: programs name its data directory; removing it helps."""

import shutil
from pathlib import Path

import asyncpg
import pytest

from tests.cli.command import holdfast_process
from tests.embedded.running import fast_server
from tests.migration.test_development import MADE, joined, made_by_development_version


@pytest.fixture
async def development_data_dir(own_data_dir: Path) -> Path:
    with fast_server(own_data_dir) as dsn:
        conn = await asyncpg.connect(dsn)
        await made_by_development_version(conn)
        await conn.close()
    return own_data_dir


@pytest.mark.slow  # six processes, one after the other
def test_every_program_says_which_directory_to_remove(development_data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("from holdfast import Holdfast\napp = Holdfast()\n")
    where = ("--data-dir", str(development_data_dir))
    advice = f"move or remove its data directory {development_data_dir};"
    for command in (
        ("migrate",),
        ("migrate", "--check"),
        ("migrate", "--sql"),
        ("queues", "list"),
        ("worker", "-A", "shop:app", "--drain"),
    ):
        said = holdfast_process(*where, *command, cwd=tmp_path)
        assert (said.code, MADE in joined(said), advice in joined(said)) == (4, True, True), (command, said)
    doctor = holdfast_process(*where, "doctor", "--json").document
    assert [one["fix"] for one in doctor["findings"] if one["check"] == "schema" and advice in one["fix"]]
    shutil.rmtree(development_data_dir)
    assert holdfast_process(*where, "migrate").code == 0
