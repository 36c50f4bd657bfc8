"""The times of a schedule: a cron expression in a time zone, by cronsim, or an interval."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from holdfast.model.duration import exact
from holdfast.model.error import InvalidOption

FIELDS = 5  # cronsim's sixth field, for seconds, knows no daylight saving time
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
FIRST_LOOK = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ScheduleTimes:
    """Either `cron` or `every` is set. All times are in UTC, given and returned."""

    cron: str | None
    every: timedelta | None
    zone: ZoneInfo

    @classmethod
    def read(cls, cron: str | None, every: timedelta | None, tz: str) -> "ScheduleTimes":
        """Raises InvalidOption if they name no time."""
        times = cls(cron, every, _zone(tz))
        if cron is not None:
            times._check(cron)
        return times

    def after(self, moment: datetime) -> datetime:
        """The first slot after that moment; raises InvalidOption if there is none."""
        slot = next(self._from(moment), None)
        if slot is None:
            raise InvalidOption(
                f"The cron expression {self.cron!r} matches no time in the next 50 years.",
                "correct its days and months",
            )
        return slot

    def coming(self, moment: datetime, count: int) -> list[datetime]:
        """The next slots after that moment, in the schedule's own zone."""
        return [slot.astimezone(self.zone) for slot in islice(self._from(moment), count)]

    def newest(self, first: datetime, now: datetime) -> datetime:
        """The latest slot until now; `first` is a slot, and not later.

        Looks at a longer time only if the last one has none: after an outage of a year, a schedule of every
        minute has half a million slots.
        """
        if self.every is not None:
            return first + (now - first) // self.every * self.every
        look = FIRST_LOOK
        while now - look > first:
            if found := list(takewhile(lambda slot: slot <= now, self._from(now - look))):
                return found[-1]
            look *= 2
        return [first, *takewhile(lambda slot: slot <= now, self._from(first))][-1]

    def words(self) -> str:
        """ "at 07:00 on Monday through Friday, Europe/Berlin", "every 5 min"."""
        if self.cron is None:
            return f"every {exact(self.every or timedelta())}"
        said = CronSim(self.cron, LONG_AGO).explain()
        return f"{said[:1].lower()}{said[1:]}, {self.zone.key}"

    def _from(self, moment: datetime) -> Iterator[datetime]:
        if self.every is not None:
            while True:
                moment += self.every
                yield moment
        for local in CronSim(str(self.cron), moment.astimezone(self.zone)):
            slot = local.astimezone(UTC)
            # A fixed time counts by the wall clock: within the hour that comes twice, cronsim may return one
            # from the first pass, which is over.
            if slot > moment:
                yield slot

    def _check(self, cron: str) -> None:
        hint = "write five fields: minute, hour, day of month, month, day of week, such as '0 7 * * 1-5'"
        if len(cron.split()) != FIELDS:
            raise InvalidOption(f"A cron expression must have {FIELDS} fields (got {cron!r}).", hint)
        try:
            self.after(LONG_AGO)
        # Apart from its own error, it fails on some expressions that it does not expect, such as L in a list.
        except (CronSimError, ValueError, TypeError, AssertionError) as exc:
            why = str(exc) or "it cannot be read"
            raise InvalidOption(f"The cron expression {cron!r} is invalid: {why}.", hint) from None


def _zone(tz: str) -> ZoneInfo:
    try:
        return ZoneInfo(tz)
    # A name that is a folder of the zone database, or a path, fails in its own way.
    except (KeyError, ValueError, OSError):
        raise InvalidOption(
            f"There is no time zone {tz!r}.", "pass an IANA name, such as 'Europe/Berlin' or 'UTC'"
        ) from None
