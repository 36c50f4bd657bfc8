"""Any schedule of verbs leaves the database as the model says. A failing one is printed, with every call.

The same schedules every time; HOLDFAST_MACHINE_EXAMPLES=2000 takes that many by chance.
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.database import fresh_database
from tests.machine.http import HttpWay
from tests.machine.http_operating import HttpOperating
from tests.machine.http_producing import HttpProducing
from tests.machine.http_working import HttpWorking
from tests.machine.operating import Operating
from tests.machine.producing import Producing
from tests.machine.session import Session
from tests.machine.working import Working

# Read here, since tests run without the variables of the environment that are Holdfast's own.
EXAMPLES = os.environ.get("HOLDFAST_MACHINE_EXAMPLES")
COUNTS = [int(EXAMPLES)] if EXAMPLES else [25, pytest.param(150, marks=pytest.mark.slow)]
HTTP_COUNTS = [int(EXAMPLES)] if EXAMPLES else [2, pytest.param(15, marks=pytest.mark.slow)]
SCHEDULES = settings(
    stateful_step_count=50,
    derandomize=EXAMPLES is None,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


class Machine(Producing, Working, Operating):
    """All rules together."""


class HttpMachine(HttpProducing, HttpWorking, HttpOperating):
    """The same, with producers, workers and operators that speak only HTTP."""


@pytest.mark.timeout(0 if EXAMPLES else 600)
@pytest.mark.parametrize("count", COUNTS)
def test_any_schedule_of_verbs_leaves_the_database_as_the_model_says(
    server_url: str, template: str, count: int
) -> None:
    with asyncio.Runner() as runner, session(runner, server_url, template) as (Machine.session, _):
        run_state_machine_as_test(Machine, settings=settings(SCHEDULES, max_examples=count))


@pytest.mark.timeout(0 if EXAMPLES else 600)
@pytest.mark.parametrize("count", HTTP_COUNTS)
def test_any_schedule_of_verbs_over_http_does_the_same(server_url: str, template: str, count: int) -> None:
    with asyncio.Runner() as runner, session(runner, server_url, template) as (HttpMachine.session, url):
        HttpMachine.way = runner.run(HttpWay.open(url))
        try:
            run_state_machine_as_test(HttpMachine, settings=settings(SCHEDULES, max_examples=count))
        finally:
            runner.run(HttpMachine.way.close())


@contextmanager
def session(runner: asyncio.Runner, server_url: str, template: str) -> Iterator[tuple[Session, str]]:
    database = fresh_database(server_url, template)
    url = runner.run(database.__aenter__())
    opened = Session(runner, url)
    try:
        yield opened, url
    finally:
        opened.close()
        runner.run(database.__aexit__(None, None, None))
