"""`./dev chaos`: its options, its schedules, and checks that can fail. A whole run is in tests/proof."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from chaos.__main__ import main
from chaos.enqueue_ledger import Accepted, Ledger, hash_of
from chaos.fault_injector import FailedInjection, Injection
from chaos.faults import FAULTS
from chaos.final_checks import Report, check
from chaos.miscounted_ends import miscounted_ends
from chaos.recovery import Late, Recoveries
from chaos.run_chaos import Outcome
from chaos.run_figures import Tally, tally_of, total
from chaos.schedule import Schedule, load_schedule, make_schedule, save_schedule
from chaos.verdict_lines import lines_of, minimums
from chaos.workloads import all_workloads
from holdfast.db.connect import Database
from holdfast.model.error import InvalidOption
from holdfast.model.id import JobId
from holdfast.model.payload import JsonText
from tests.builders import completed_job, dead_job, ready_job, replay, running_job, settle

SETTLED = timedelta(seconds=4)


def test_an_unknown_fault_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--faults", "flood"])
    assert exit_.value.code == 2
    assert "unknown fault flood" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_schedule_with_every_fault_in_it() -> None:
    assert a_schedule(7).steps == a_schedule(7).steps != a_schedule(8).steps
    assert {step.fault for step in a_schedule(7).steps} == set(FAULTS)


def test_a_schedule_that_was_saved_is_the_one_that_is_replayed(tmp_path: Path) -> None:
    save_schedule(a_schedule(7), tmp_path / "schedule.json")
    assert load_schedule(tmp_path / "schedule.json") == a_schedule(7)


def test_a_file_that_is_no_schedule_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "schedule.json").write_text(json.dumps({"seed": 1}))
    with pytest.raises(InvalidOption):
        load_schedule(tmp_path / "schedule.json")


@pytest.mark.parametrize(
    ("ledger", "found"),
    [
        (Ledger(accepted={"gone": Accepted(JobId(uuid4()), "")}), "lost"),
        (Ledger(refused={"here"}), "a job that was refused"),
        (Ledger(), "a job that was not offered"),
        (Ledger(accepted={"here": Accepted(JobId(uuid4()), "")}), "another id or payload"),
    ],
)
async def test_a_ledger_that_disagrees_with_the_database_is_noticed(
    db: Database, ledger: Ledger, found: str
) -> None:
    await a_mixed_database(db)
    report = await check(db, ledger, SETTLED)
    found_all = [*(f"lost {what}" for what in report.lost), *report.wrong]
    assert any(what.startswith(found) for what in found_all), found_all
    assert not report.is_good


async def test_what_may_or_may_not_be_there_is_good_either_way(db: Database) -> None:
    await a_mixed_database(db)
    report = await check(db, Ledger(indeterminate={"here", "elsewhere"}), SETTLED)
    assert (report.lost, report.duplicated, report.wrong) == ([], [], ["1 jobs are still live"])


async def test_two_jobs_of_one_ref_are_a_duplicate(db: Database) -> None:
    await a_mixed_database(db)
    await a_job(db)
    report = await check(db, Ledger(indeterminate={"here"}), SETTLED)
    assert report.duplicated == ["2 jobs with ref here"]


async def test_an_effect_of_a_job_that_did_not_complete_is_noticed(db: Database) -> None:
    await a_mixed_database(db)
    async with db.connection() as conn:
        job = await running_job(conn, task="effect", queue="effects")
        await conn.execute("insert into public.chaos_effects values ($1, $2)", job.id, job.token)
        assert await settle(conn, job, "reject", {"reason": "no"})
    report = await check(db, Ledger(indeterminate={"here"}), SETTLED)
    assert f"effects: effect of a job that did not complete: {job.id}" in report.wrong


async def test_a_payload_that_changed_is_noticed(db: Database) -> None:
    await a_mixed_database(db)
    async with db.connection() as conn:
        job = await conn.fetchval("select id from holdfast.jobs")
    accepted = Accepted(JobId(job), hash_of(JsonText('{"ref": "here"}')))
    assert not [
        one for one in (await check(db, Ledger({"here": accepted}), SETTLED)).wrong if "payload" in one
    ]
    await db.execute("""update holdfast.jobs set payload = '{"ref":"here","n":1}'""")
    assert [one for one in (await check(db, Ledger({"here": accepted}), SETTLED)).wrong if "payload" in one]


def test_a_run_without_faults_does_not_pass() -> None:
    assert a_tally().complaints == []
    assert a_tally(injections=()).complaints == ["reset was never injected"]
    assert a_tally(fenced=0).complaints == ["no late write was ever fenced"]


def test_a_fault_that_affected_no_process_or_could_not_be_injected_does_not_pass() -> None:
    now = datetime.now(UTC)
    harmless = Injection("reset", now, now, hit=False)
    assert a_tally(injections=(harmless, harmless)).complaints == [
        "reset was injected 2 times and affected no process"
    ]
    impossible = a_tally(injections=(), failed=(FailedInjection("reset", "no server"),))
    assert impossible.complaints == ["reset was never injected: no server"]
    assert "not injected: reset 1" in lines_of(impossible)


async def test_a_job_is_dead_by_losses_or_by_an_error_of_a_workload(db: Database) -> None:
    await a_mixed_database(db)
    async with db.connection() as conn:
        job = await dead_job(conn, "it broke", task="plain", queue="chaos")
    ledger = Ledger(indeterminate={"here"})
    complaint = f"dead after 1 failures and 0 losses, plain: {job.id}: it broke"
    assert complaint in (await check(db, ledger, SETTLED)).wrong
    await db.execute("update holdfast.history set losses = 3, failures = 0")
    assert not any("dead after" in one for one in (await check(db, ledger, SETTLED)).wrong)


@pytest.mark.parametrize(
    ("plant", "complaint"),
    [
        ("update holdfast.end_totals set jobs = jobs + 1 where what = 'end'", "2 ended, 3 counted"),
        ("delete from holdfast.end_totals where what = 'end'", "2 ended, 0 counted"),
        ("delete from holdfast.history", "1 ended, 2 counted"),
    ],
)
async def test_an_end_that_was_counted_twice_or_not_at_all_is_noticed(
    db: Database, plant: str, complaint: str
) -> None:
    """Also in the minute under way, and of a job that was replayed."""
    await a_mixed_database(db)
    async with db.connection() as conn:
        await completed_job(conn)
        await replay(conn, (await completed_job(conn)).id)
    assert await miscounted_ends(db) == []
    await db.execute(plant)
    assert await miscounted_ends(db) == [f"default task   completed: {complaint}"]
    report = await check(db, Ledger(indeterminate={"here"}), SETTLED)
    assert f"statistics: default task   completed: {complaint}" in report.wrong


async def test_only_refused_ends_count_as_fenced(db: Database, tmp_path: Path) -> None:
    await a_mixed_database(db)
    (tmp_path / "worker-1.log").write_text(
        "WARNING job lost: job=a\nWARNING job lost: job=b\nWARNING lease jobs taken: worker=a running=5\n"
    )
    report = await check(db, Ledger(indeterminate={"here"}), SETTLED, tmp_path)
    assert (report.fenced, report.stopped) == (2, 5)


def test_a_promise_that_was_kept_too_late_does_not_pass() -> None:
    tally = a_tally(Recoveries({}, [5.5], [Late(7, datetime.now(UTC), 5.5)]))
    (complaint,) = tally.complaints
    assert "worker 7" in complaint
    assert "after 5.50 s; the promise is 4 s" in complaint
    assert list(lines_of(tally))[-1].endswith("0 lost, 0 duplicated, 0 wrong, 1 late")


def test_the_sum_of_several_runs_says_which_seed_failed_and_what_a_long_run_lacks() -> None:
    found = total([a_tally(seed=1), a_tally(seed=2, injections=())])
    assert found.complaints == ["seed 2: reset was never injected"]
    assert (found.fired["reset"], found.counts["accepted"]) == (1, 20)
    assert list(lines_of(found))[-1].startswith("chaos: 2 seeds, 20 accepted")
    found.faults = list(FAULTS)
    found.fired["kill-worker"], found.deaths["kill-worker"] = 300, 200
    assert "kill-worker 200 of 200 (met), kill-database 0 of 20 (not met)" in minimums(found)


def a_tally(
    recoveries: Recoveries | None = None,
    seed: int = 1,
    injections: Sequence[Injection] = (Injection("reset", datetime.now(UTC), datetime.now(UTC), hit=True),),
    fenced: int = 3,
    failed: Sequence[FailedInjection] = (),
) -> Tally:
    counts = dict.fromkeys(("losses", "failures", "deferrals", "released", "dead", "live"), 0)
    schedule = make_schedule(seed, timedelta(seconds=1), {"reset": 1}, 2)
    report = Report(10, 0, 0, 0, counts, fenced=fenced)
    return tally_of(schedule, Outcome(report, injections, recoveries or Recoveries({}, []), failed))


def a_schedule(seed: int) -> Schedule:
    return make_schedule(seed, timedelta(minutes=1), {name: one.weight for name, one in FAULTS.items()}, 3)


async def a_mixed_database(db: Database) -> None:
    """The tables of all workloads, and one job with the ref `here`."""
    for workload in all_workloads():
        if workload.tables:
            await db.execute(workload.tables)
    await a_job(db)


async def a_job(db: Database) -> None:
    async with db.connection() as conn:
        await ready_job(conn, payload={"ref": "here"})
