"""What functions switch off for their plans.

Before PostgreSQL 18 a disabled way that is the only one is priced at 1e10, far above jit_above_cost: the
server compiled a scan of ten queues, 45 ms for each end of a job, until compiling was switched off as well.
"""

from holdfast.db.connect import Connection

COMPILING = """
select p.proname
from pg_proc p
where p.pronamespace = 'holdfast'::regnamespace
  and exists (select from unnest(p.proconfig) as setting where setting like 'enable%=off')
  and not 'jit=off' = any (p.proconfig)
"""


async def test_what_disables_ways_does_not_compile_plans(conn: Connection) -> None:
    assert {row["proname"] for row in await conn.fetch(COMPILING)} == set()
