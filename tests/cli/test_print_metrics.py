"""`holdfast metrics`: the database's figures as Prometheus reads them."""

from prometheus_client.parser import text_string_to_metric_families

from holdfast.db.connect import Connection
from tests.builders import completed_job, ready_job
from tests.cli.command import holdfast, holdfast_process
from tests.cli.scene import count_ends, given
from tests.cli.test_roles import as_role


async def a_past(conn: Connection) -> None:
    await completed_job(conn, queue="mail", task="send")
    await count_ends(conn)
    await ready_job(conn, queue='a"b\n{')


def samples(text: str) -> dict[tuple[str, str], float]:
    """By name and queue."""
    return {
        (sample.name, sample.labels.get("queue", "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.labels.get("state", "ready") == "ready"
    }


def test_the_text_is_all_that_stands_on_stdout(database_url: str) -> None:
    given(database_url, a_past)
    answer = holdfast_process("metrics", url=database_url)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("# HELP holdfast_")
    assert answer.out.endswith("\n")
    assert not answer.out.endswith("\n\n")
    found = samples(answer.out)
    assert found["holdfast_jobs_ended_total", "mail"] == 1
    assert found["holdfast_jobs", 'a"b\n{'] == 1


def test_an_empty_database_has_metrics(database_url: str) -> None:
    answer = holdfast("metrics", url=database_url)
    assert answer.code == 0
    assert samples(answer.out) == {("holdfast_series_left_out", ""): 0}


def test_the_number_of_series_can_be_limited(database_url: str) -> None:
    given(database_url, a_past)
    by_option = holdfast("metrics", "--max-series", "5", url=database_url)
    by_variable = holdfast("metrics", url=database_url, HOLDFAST_METRICS_MAX_SERIES="5")
    for answer in (by_option, by_variable):
        lines = [line for line in answer.lines if not line.startswith("#")]
        assert len(lines) <= 5
        assert samples(answer.out)["holdfast_series_left_out", ""] > 0
    assert holdfast("metrics", "--max-series", "0", url=database_url).code == 2


def test_a_viewer_may_read_them_and_a_producer_may_not(database_url: str) -> None:
    given(database_url, a_past)
    assert holdfast("metrics", url=as_role(database_url, "viewer")).code == 0
    for role in ("producer", "worker"):
        answer = holdfast("metrics", url=as_role(database_url, role))
        assert (answer.code, answer.out) == (1, ""), role
        assert "holdfast_viewer" in answer.err


def test_a_command_of_the_group_prints_no_metrics(database_url: str) -> None:
    answer = holdfast("metrics", "report", "gpu_load", "0.5", "host=one", url=database_url)
    assert (answer.code, answer.out) == (0, "")
    found = samples(holdfast("metrics", url=database_url).out)
    assert found["gpu_load", ""] == 0.5


def test_the_help_names_the_option_and_the_commands(database_url: str) -> None:
    answer = holdfast("metrics", "--help", url=database_url)
    assert answer.code == 0
    assert "--max-series" in answer.out
    assert "report" in answer.out
