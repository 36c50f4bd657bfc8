"""Each lock that a function takes by name has its row from the start; without a row nothing is locked."""

import re

from holdfast.db.connect import Connection
from tests.migration.release import FILES

TAKEN = re.compile(r"holdfast\.try_lock\('(\w+)'\)|holdfast\.locks as k where k\.name = '(\w+)' for update")


async def test_every_lock_that_a_function_takes_is_in_the_table(conn: Connection) -> None:
    taken = {one or other for file in FILES.functions for one, other in TAKEN.findall(file.text)}
    assert len(taken) >= 5
    assert taken == {row[0] for row in await conn.fetch("select name from holdfast.locks")}
