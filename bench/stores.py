"""A fresh place for jobs, of the kind that a system needs."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bench.redis import redis_server
from bench.server import fresh_database, server
from bench.system import Store, System

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Stores:
    postgres: str
    redis: str | None

    @contextmanager
    def fresh(self, system: System) -> Iterator[str]:
        """An empty store with the system's tables in it; gives its URL."""
        with self._empty(system.store) as url:
            system.call("prepare", url)
            yield url

    @contextmanager
    def _empty(self, store: Store) -> Iterator[str]:
        if store is Store.POSTGRES:
            with fresh_database(self.postgres, f"bench_{next(_numbers)}") as url:
                yield url
        elif store is Store.REDIS:
            assert self.redis is not None
            yield self.redis  # emptied by the script
        else:
            with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as directory:
                yield str(Path(directory) / "bench.db")


@contextmanager
def stores(redis: bool = False) -> Iterator[Stores]:
    with ExitStack() as stack:
        url = stack.enter_context(server())
        yield Stores(url, stack.enter_context(redis_server()) if redis else None)
