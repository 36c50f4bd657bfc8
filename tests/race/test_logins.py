"""The first enqueues of a login at once."""

import asyncio

from tests.builders import ready_job
from tests.patience import PATIENCE
from tests.race.crowd import Crowd


async def test_the_first_enqueues_of_a_login_do_not_wait_for_each_other(crowd: Crowd) -> None:
    """A producer's long transaction must not hold up the others."""
    one, other, later = await crowd.join(), await crowd.join(), await crowd.join()
    await ready_job(one)  # its queue and lane are there
    await crowd.watcher.execute("delete from holdfast.logins")
    open_transaction = one.transaction()
    await open_transaction.start()
    await ready_job(one)
    async with asyncio.timeout(PATIENCE):
        second = await ready_job(other)
    await open_transaction.commit()
    third = await ready_job(later)
    rows = await crowd.watcher.fetch(
        "select login from holdfast.job_view where id = any ($1)", [second, third]
    )
    assert [row["login"] for row in rows] == [await one.fetchval("select session_user")] * 2
    assert await crowd.watcher.fetchval("select count(*) from holdfast.logins") == 2
