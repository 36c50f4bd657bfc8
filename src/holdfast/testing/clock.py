"""A fake clock: Holdfast's time stands still until the test moves it, for every connection alike."""

from dataclasses import dataclass
from datetime import datetime

from holdfast.db.clock import now
from holdfast.db.sql_files import SQL
from holdfast.db.statement import Executor, fetch_value, run
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption, WrongState

FAKE = SQL / "testing" / "now.sql"
REAL = SQL / "base" / "now.sql"

DATABASE = "select current_database()"
SET = "update holdfast.test_clock set at = $1::timestamptz"
ADVANCE = "update holdfast.test_clock set at = at + $1::interval"
DROP = "drop table holdfast.test_clock"


@dataclass(frozen=True, slots=True)
class FakeClock:
    """Moves the time of one database; what it does is seen by others once the connection has committed."""

    on: Executor

    async def now(self) -> datetime:
        return await now(self.on)

    async def set(self, at: datetime) -> None:
        if at.utcoffset() is None:
            raise InvalidOption(
                f"The time must have a time zone (got {at.isoformat()}).",
                "pass a datetime with a time zone, such as datetime.now(UTC)",
            )
        await run(self.on, SET, at)

    async def advance(self, by: Duration) -> datetime:
        """The time it is then."""
        await run(self.on, ADVANCE, parse_duration(by))
        return await self.now()

    async def uninstall(self) -> None:
        """The real clock again."""
        await run(self.on, REAL.read_text("utf-8"))
        await run(self.on, DROP)


async def install_fake_clock(conn: Executor) -> FakeClock:
    """Refused in a database that is not named as one for tests: there, time would stand still for ever."""
    name = await fetch_value(conn, DATABASE)
    if not (name.startswith("test_") or name.endswith("_test")):
        raise WrongState(
            "The fake clock works only in a test database: its name must begin with test_ or end with _test "
            f"(got {name!r}).",
            "use fresh_database(), or rename the database",
        )
    await run(conn, FAKE.read_text("utf-8"))
    return FakeClock(conn)
