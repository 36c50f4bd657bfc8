"""The guide to running the API and workers is true: its app loads, its commands and its unit are valid."""

import configparser
import re
import shlex
from pathlib import Path

import pytest

from holdfast.client.app import Holdfast
from holdfast.model.duration import parse_duration
from holdfast.telemetry.event_list import Event
from tests.cli.command import eventually, holdfast
from tests.cli.scene import states
from tests.docs.page import blocks, links
from tests.docs.serving import answers, commands, started
from tests.repo.tree import ROOT

PAGE = "guides/serve.md"
TEXT = (ROOT / "docs" / PAGE).read_text()
UNIT = (ROOT / "deploy" / "holdfast-serve.service").read_text()


def test_its_app_has_the_task() -> None:
    names: dict[str, object] = {}
    exec(blocks(PAGE, "python")[0][1], names)
    app = names["app"]
    assert isinstance(app, Holdfast)
    assert list(app.tasks) == ["greet"]


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("command", commands(PAGE))
def test_its_commands_serve_and_work_until_sigterm(command: str, database_url: str, tmp_path: Path) -> None:
    """Reached from elsewhere it needs a key first, as the page says."""
    (tmp_path / "jobs.py").write_text(blocks(PAGE, "python")[0][1])
    if "--host" in command:
        assert holdfast("keys", "create", "ops", "--role", "admin", url=database_url).code == 0
    job = holdfast("enqueue", "greet", '{"name": "Ada"}', url=database_url).out.strip()
    with started(command, database_url, tmp_path) as url:
        assert answers(url) == 200
        eventually(lambda: states(database_url)[job] == "completed")


def test_its_unit_starts_a_valid_command_and_waits_until_it_has_stopped() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.read_string(UNIT)
    service = unit["Service"]
    _, *options = shlex.split(service["ExecStart"])
    assert options[:3] == ["--log-format", "json", "serve"]
    given = dict(zip(options[3::2], options[4::2], strict=True))
    assert holdfast("serve", *options[3:], "--help").code == 0
    stops = sum(parse_duration(given[name]).total_seconds() for name in ("--stop-delay", "--grace"))
    assert float(service["TimeoutStopSec"]) > stops


def test_it_names_variables_and_events_that_exist() -> None:
    shown = "".join(holdfast(name, "--help").out for name in ("serve", "worker"))
    for variable in re.findall(r"HOLDFAST_(?:WORKER|SERVE)_(\w+)", TEXT):
        assert f"--{variable.lower().replace('_', '-')}" in shown
    named = set(re.findall(r"`(api\.\w+)`", TEXT))
    assert named <= {event.value for event in Event}
    assert len(named) == 3


def test_its_links_lead_somewhere() -> None:
    assert [link for link in links(PAGE) if not (ROOT / "docs" / "guides" / link).exists()] == []
