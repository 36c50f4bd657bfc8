"""What the page shows of a suite: which of our figures, and beside each what it is compared with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bench.bars.depth import BASE, DEEP
from bench.peers.environment import OTHER_PEERS, POSTGRES_PEERS
from bench.result import COMPUTED, OLDER, OURS, Figure, Key, Results

Choose = Callable[[Results, str], Key | None]


@dataclass(frozen=True, slots=True)
class Summary:
    """`columns`: under each heading, what a figure of ours is compared with; None where there is nothing."""

    columns: Mapping[str, Choose] = field(default_factory=dict)
    leaves_out: Callable[[str], bool] = lambda _: False

    def figures(self, results: Results) -> list[Figure]:
        return [
            figure
            for (system, name), figure in results.figures.items()
            if system == OURS and figure.unit not in COMPUTED and not self.leaves_out(name)
        ]


def _of(system: str) -> Choose:
    return lambda results, name: (system, name) if (system, name) in results.figures else None


def _best_of(systems: tuple[str, ...]) -> Choose:
    def choose(results: Results, name: str) -> Key | None:
        system = results.best(name, systems)
        return (system, name) if system else None

    return choose


def _base(results: Results, name: str) -> Key | None:
    kind = next(name.removeprefix(depth) for depth in DEEP if name.startswith(depth))
    return OURS, f"{BASE}{kind}"


def _plain(results: Results, name: str) -> Key | None:
    kind, feature = name.split("_", maxsplit=1)
    return (OURS, f"{kind}_plain") if kind in ("enqueue", "drain") and feature != "plain" else None


def _without_endpoint(results: Results, name: str) -> Key | None:
    """A job with an endpoint beside one without; one without beside the same where nothing else is."""
    bases = {"endpoint": "plain", "beside": "alone", "alone": "cut_out"}
    kind, _, rest = name.partition("_")
    return (OURS, f"{bases[kind]}_{rest}") if kind in bases else None


def _older(results: Results, name: str) -> Key | None:
    return next((key for key in results.figures if key[0].startswith(OLDER) and key[1] == name), None)


ON_POSTGRES = tuple(peer.name for peer in POSTGRES_PEERS)
ELSEWHERE = tuple(peer.name for peer in OTHER_PEERS)
SUMMARIES = {
    "peers": Summary(
        {"best on PostgreSQL": _best_of(ON_POSTGRES), "best on Redis or SQLite": _best_of(ELSEWHERE)}
    ),
    "limit": Summary({"bare_settle": _of("bare_settle"), "bare_delete": _of("bare_delete")}),
    "depth": Summary({"base": _base}, leaves_out=lambda name: not name.startswith(DEEP)),
    "held": Summary(
        {"pgqueuer": _of("pgqueuer"), "procrastinate": _of("procrastinate")},
        leaves_out=lambda name: name.endswith("_claim_p50"),
    ),
    "mixed": Summary(
        {"plain": _plain, "best peer": _best_of(ON_POSTGRES), "older commit": _older},
        leaves_out=lambda name: (
            not name.startswith(("enqueue_", "drain_", "bulk_")) and not name.endswith("_plain")
        ),
    ),
    "permit": Summary(
        {"without": _without_endpoint}, leaves_out=lambda name: name.startswith(("plain_", "cut_out_"))
    ),
    "pipeline": Summary({"plain": _plain}),
    # One of the four combinations of depth and workers, for each claim size.
    "load": Summary(leaves_out=lambda name: not name.endswith("_100000_2")),
    "api": Summary({"SQL": _of("sql")}),
    "dashboard": Summary(leaves_out=lambda name: name.endswith(" p50")),
    "calls": Summary(),
}
