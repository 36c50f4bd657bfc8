"""Chaos on a database that breaks its promises must fail: a judge that never condemns proves nothing."""

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

from chaos.faults import FAULTS
from chaos.run_chaos import run_chaos
from chaos.run_figures import tally_of
from chaos.schedule import make_schedule
from chaos.workloads.plain import Plain
from tests.repo.tree import ROOT

pytestmark = [pytest.mark.alone, pytest.mark.slow]

SQL = ROOT / "src" / "holdfast" / "sql"
LENGTH = timedelta(seconds=40)
# They wake up zombies that write: what is fenced in a sound database.
HARM = ("stop-worker", "partition")

Swap = tuple[str, str, str]
"""A file, what is taken out of it, and what stands there instead."""

UNFENCED: list[Swap] = [
    ("job/parts/move_to_history.sql", "or j.token = e.end_token)", "or j.token is not null)"),
]
ROBBING: list[Swap] = [
    (
        "maintenance/rescue_lost.sql",
        "where (w.id is null or w.state = 'stopped' or w.lease_until < holdfast.now())",
        # Now and then: a long job that is taken away at every sweep would never be done.
        "where (random() < 0.05 or w.id is null or w.state = 'stopped' or w.lease_until < holdfast.now())",
    ),
    (
        "maintenance/fence_worker.sql",
        "if row.state <> 'stopped' and row.lease_until >= holdfast.now()",
        "if false",
    ),
]
# A completed job comes back now and then, as one does whose row was not deleted.
RISING = """
create function public.rise() returns trigger language plpgsql security definer as $$
begin
  if random() < 0.02 then
    old.state := 'ready';
    old.worker_id := null;
    old.token := null;
    old.started_at := null;
    old.stop_at := null;
    insert into holdfast.jobs values (old.*);
  end if;
  return null;
end
$$;
create trigger rising after delete on holdfast.jobs
for each row when (old.task = 'effect' and old.token is not null) execute function public.rise();
"""


@pytest.mark.parametrize(
    ("swaps", "more", "told"),
    [
        pytest.param(UNFENCED, "", ("plain: ", "long_jobs: "), id="an end under an outdated token"),
        pytest.param(ROBBING, "", ("leases: worker ",), id="a rescue that does not look at the lease"),
        pytest.param([], RISING, ("effects: two effects",), id="a completed job that stays"),
    ],
)
async def test_a_sabotaged_database_does_not_pass(
    monkeypatch: pytest.MonkeyPatch, swaps: list[Swap], more: str, told: tuple[str, ...]
) -> None:
    """The tables of a workload are made between the migration and the workers: the place to sabotage."""
    monkeypatch.setattr(Plain, "tables", "\n".join([*map(swapped, swaps), more]))
    schedule = make_schedule(1, LENGTH, {name: FAULTS[name].weight for name in HARM}, 3)
    with tempfile.TemporaryDirectory(prefix="holdfast-chaos-") as directory:
        complaints = tally_of(schedule, await run_chaos(Path(directory), schedule)).complaints
    assert [one for one in complaints if one.startswith(told)], complaints


def swapped(swap: Swap) -> str:
    file, old, new = swap
    text = (SQL / file).read_text()
    assert text.count(old) == 1, f"{file} does not say {old} once"
    return text.replace(old, new)
