"""What people switch while workers run: flags, and gradual roll-outs."""

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.dashboard.page import Page, Shown, View
from holdfast.db import flags, rollouts, worker_list
from holdfast.model.flag import Flag
from holdfast.model.human_readable import counted, some

LISTED = 200
ROLLOUTS = 100
MOST_WORKERS = 1000
# What each flag does, in words for people.
MEANINGS = {
    "rescue": "Whether jobs of lost workers run again",
    "detail": "How much of the audit trail is kept",
    "slots": "How many jobs a worker runs at once",
    "claim_size": "How many jobs a worker takes in one claim",
}


RISK = "jobs of lost workers stay where they are"


@dataclass(frozen=True, slots=True)
class TriedKey:
    """Whether a key takes the new way of a roll-out."""

    rollout: str
    key: str
    is_in: bool


class Flags(Page):
    path = "/flags"
    template = "flags.html"

    async def read(self, view: View) -> Shown:
        found = await flags.list_flags(view.database, LISTED + 1)
        known = await rollouts.list_rollouts(view.database)
        unusual = sum(one.is_set for one in found[:LISTED])
        verdict = f"{counted(unusual, 'flag')} set" if unusual else "All flags have their defaults"
        risky = [one for one in found[:LISTED] if is_risky(one)]
        values = {
            "flags": set_first(found[:LISTED]),
            "is_risky": is_risky,
            "risk": RISK,
            "risky": risky_words(risky),
            "empty_groups": await _empty_groups(view, found[:LISTED]),
            "is_cut": len(found) > LISTED,
            "most": LISTED,
            "meanings": MEANINGS,
            "verdict": verdict,
            "rollouts": known[:ROLLOUTS],
            "more_rollouts": max(0, len(known) - ROLLOUTS),
            "tried": await _tried(view),
        }
        return Shown(f"{verdict} · Flags and roll-outs", values, here="Flags and roll-outs")


def is_risky(flag: Flag) -> bool:
    return flag.name == "rescue" and flag.value == "off"


def risky_words(found: Sequence[Flag]) -> str:
    """Where jobs are not rescued: "Rescue is off for the queues mail, sms: ..."."""
    if not found:
        return ""
    queues = [one.queue for one in found if one.queue]
    if len(queues) < len(found):
        where = ""
    elif len(queues) == 1:
        where = f" for the queue {queues[0]}"
    else:
        where = f" for the queues {some(queues)}"
    return f"Rescue is off{where}: {RISK}."


def set_first(found: Sequence[Flag]) -> list[Flag]:
    """Each flag with what is set for one queue or group below it; flags that are set stand first."""
    changed = {one.name for one in found if one.is_set}
    return sorted(found, key=lambda one: one.name not in changed)


async def _empty_groups(view: View, found: Sequence[Flag]) -> set[str]:
    """Groups that a flag is set for and no live worker is in: the flag changes nothing."""
    wanted = {one.group for one in found if one.group}
    if not wanted:
        return set()
    live = await worker_list.list_workers(view.database, MOST_WORKERS, live_only=True)
    return wanted - {one.group for one in live}


async def _tried(view: View) -> TriedKey | None:
    name, key = view.get("rollout"), view.get("key")
    if not name or not key:
        return None
    return TriedKey(name, key, await rollouts.in_rollout(view.database, name, key))
