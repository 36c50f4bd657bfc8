"""The navigation: every page that has a place in it, in groups, with the keys that lead to it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """`key` follows g on the keyboard. `needs_all`: only access keys for all queues and tasks see it, and
    with `needs_admin` only those of admins.
    """

    path: str
    words: str
    icon: str
    key: str
    needs_all: bool = True
    needs_admin: bool = False

    def is_for(self, sees_all: bool, is_admin: bool) -> bool:
        return (sees_all or not self.needs_all) and (is_admin or not self.needs_admin)


@dataclass(frozen=True, slots=True)
class Group:
    words: str
    places: tuple[Place, ...]


GROUPS = (
    Group("", (Place("/", "Overview", "overview", "o", needs_all=False),)),
    Group(
        "Work",
        (
            Place("/jobs", "Jobs", "jobs", "j", needs_all=False),
            Place("/runs", "Runs", "runs", "r"),
            Place("/pipelines", "Pipelines", "pipeline", "p"),
            Place("/queues", "Queues", "queues", "q", needs_all=False),
            Place("/schedules", "Schedules", "schedules", "s"),
        ),
    ),
    Group(
        "Trouble",
        (
            Place("/errors", "Errors", "errors", "e", needs_all=False),
            Place("/dead", "Dead letters", "dead", "d", needs_all=False),
        ),
    ),
    Group(
        "Capacity",
        (
            Place("/endpoints", "Endpoints", "endpoints", "n"),
            Place("/workers", "Workers", "workers", "w"),
        ),
    ),
    Group(
        "Settings",
        (
            Place("/rules", "Rules", "rules", "u"),
            Place("/flags", "Flags and roll-outs", "flags", "f"),
            Place("/keys", "Access keys", "keys", "k", needs_admin=True),
        ),
    ),
    Group(
        "Records",
        (
            Place("/reports", "Reports", "reports", "t"),
            Place("/actions", "Bulk actions", "actions", "b", needs_all=False),
            Place("/audit", "Audit trail", "audit", "l"),
            Place("/doctor", "Doctor", "doctor", "h"),
        ),
    ),
)


def groups_for(paths: Collection[str], sees_all: bool, is_admin: bool) -> Iterator[Group]:
    """The groups with the places that exist and that the caller may open."""
    for group in GROUPS:
        places = tuple(one for one in group.places if one.path in paths and one.is_for(sees_all, is_admin))
        if places:
            yield Group(group.words, places)
