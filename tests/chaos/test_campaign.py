"""Several runs: one that is aborted is a complaint with a schedule and logs, and the others still run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from chaos import campaign as module
from chaos.campaign import campaign
from chaos.fault_injector import Injection
from chaos.final_checks import Report
from chaos.recovery import Recoveries
from chaos.run_chaos import Outcome
from chaos.schedule import Schedule, load_schedule, make_schedule
from holdfast.model.error import HoldfastError

COUNTS = dict.fromkeys(("losses", "failures", "deferrals", "released", "dead", "live"), 0)


def schedules(seconds: float, fault: str = "reset") -> list[Schedule]:
    return [make_schedule(seed, timedelta(seconds=seconds), {fault: 1}, 2) for seed in (1, 2)]


def an_outcome(fault: str, deaths: int = 0) -> Outcome:
    now = datetime.now(UTC)
    injection = Injection(fault, now, now, True, frozenset(), dict.fromkeys(range(deaths), now))
    return Outcome(Report(10, 0, 0, 0, COUNTS, fenced=1), [injection], Recoveries({}, []))


def leave_logs(directory: Path) -> None:
    (directory / "logs").mkdir()
    (directory / "logs" / "worker-1.log").write_text("what it said")
    (directory / "pg18" / "log").mkdir(parents=True)
    (directory / "pg18" / "log" / "server-06.log").write_text("what the server said")


async def breaks_first(directory: Path, schedule: Schedule) -> Outcome:
    leave_logs(directory)
    if schedule.seed == 1:
        raise ExceptionGroup("in a task", [HoldfastError("no server", "start it")])
    return an_outcome("reset")


def test_a_run_that_is_aborted_is_a_complaint_is_saved_and_the_next_seed_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "run_chaos", breaks_first)
    report = tmp_path / "report.txt"
    assert not campaign(schedules(1), tmp_path, report)
    text = report.read_text()
    assert "wrong: seed 1: the run was aborted: HoldfastError: no server" in text
    assert "2 seeds, 10 accepted, 0 lost, 0 duplicated, 1 wrong" in text
    assert load_schedule(tmp_path / "chaos-1.json") == schedules(1)[0]
    kept = sorted(log.name for log in (tmp_path / "chaos-1-logs").iterdir())
    assert kept == ["server-06.log", "worker-1.log"]
    assert str(tmp_path / "chaos-1-logs") in capsys.readouterr().err
    assert not list(tmp_path.glob("chaos-2*")), "of a good run nothing is kept"


@pytest.mark.parametrize(
    ("seconds", "deaths", "passes"), [(1800, 100, True), (1800, 99, False), (1799, 99, True)]
)
def test_an_hour_that_killed_too_few_workers_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, deaths: int, passes: bool
) -> None:
    """Of two runs, each with so many workers that died; how often the fault fired does not count."""

    async def kills(directory: Path, schedule: Schedule) -> Outcome:
        return an_outcome("kill-worker", deaths)

    monkeypatch.setattr(module, "run_chaos", kills)
    report = tmp_path / "report.txt"
    assert campaign(schedules(seconds, "kill-worker"), tmp_path, report) == passes
    complaint = "wrong: kill-worker had an effect 198 times, and a long run needs 200"
    assert (complaint in report.read_text()) != passes
