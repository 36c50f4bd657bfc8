"""The peers and their environments: one each, made at first use, beside ours and never mixed with it."""

import hashlib
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from bench.system import HERE, Store, System
from bench.unavailable import Unavailable, last_line

PLACE = HERE.parent / ".venv-peers"
PSYCOPG = "psycopg[binary,pool]==3.3.8"
UVLOOP = "uvloop==0.23.0"
HIREDIS = "hiredis==3.5.0"


@dataclass(frozen=True, slots=True)
class Peer:
    """What is installed for a peer, and what an application of it imports."""

    name: str
    packages: tuple[str, ...]
    imports: str
    store: Store = Store.POSTGRES
    script: str = ""

    def system(self) -> System:
        stem = self.script or self.name.replace("-", "_")
        path = HERE / "peers" / f"{stem}_script.py"
        return System(self.name, path, self._python(), self.imports, self.store)

    def _python(self) -> Path:
        """The interpreter of its environment; a stamp is written last, so that half of one is made again."""
        place = PLACE / self.name.split("[")[0]
        interpreter = place / "bin" / "python"
        stamp = place / "packages.stamp"
        wanted = hashlib.sha256("\n".join(self.packages).encode()).hexdigest()
        if not stamp.exists() or stamp.read_text() != wanted:
            print(f"bench: installing {self.name} into an environment of its own …", file=sys.stderr)
            self._install(place, interpreter)
            stamp.write_text(wanted)
        return interpreter

    def _install(self, place: Path, interpreter: Path) -> None:
        pip = [str(interpreter), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        try:
            venv.create(place, clear=True, with_pip=True)
            subprocess.run(
                [*pip, *self.packages],
                check=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except (OSError, subprocess.CalledProcessError) as error:
            said = error.stdout if isinstance(error, subprocess.CalledProcessError) else str(error)
            said = said if isinstance(said, str) else (said or b"").decode(errors="replace")
            raise Unavailable(
                f"cannot install {self.name} ({', '.join(self.packages)}): {last_line(said)};"
                " leave it out with --only and the names of the others"
            ) from error


_SAQ = ("saq[postgres,redis,hiredis]==0.26.4", PSYCOPG, UVLOOP)

POSTGRES_PEERS = (
    # The fastest first: neighbours in time of ours, with which they are compared.
    Peer("pgqueuer", ("pgqueuer[asyncpg]==1.6.0", UVLOOP), "from pgqueuer import PgQueuer, AsyncpgDriver"),
    Peer(
        "procrastinate",
        ("procrastinate==3.10.0", PSYCOPG, UVLOOP),
        "from procrastinate import App, PsycopgConnector",
    ),
    Peer("chancy", ("chancy==0.26.0", PSYCOPG, UVLOOP), "from chancy import Chancy, Worker"),
    Peer("saq", _SAQ, "from saq import Queue, Worker; import saq.queue.postgres"),
    Peer(
        "absurd-sdk",
        ("absurd-sdk==0.5.1", "absurdctl==0.5.1", PSYCOPG, UVLOOP),
        "from absurd_sdk import AsyncAbsurd",
    ),
    Peer("dbos", ("dbos==3.3.0", PSYCOPG, UVLOOP), "from dbos import DBOS, DBOSClient"),
)
OTHER_PEERS = (
    Peer("celery", ("celery[redis]==5.7.0", HIREDIS), "from celery import Celery", Store.REDIS),
    Peer("arq", ("arq==0.28.0", HIREDIS, UVLOOP), "from arq import create_pool, Worker", Store.REDIS),
    Peer(
        "taskiq",
        ("taskiq==0.13.0", "taskiq-redis==1.2.4", HIREDIS, UVLOOP),
        "from taskiq_redis import ListQueueBroker, RedisAsyncResultBackend",
        Store.REDIS,
    ),
    Peer(
        "saq[redis]",
        _SAQ,
        "from saq import Queue, Worker; import saq.queue.redis",
        Store.REDIS,
        "saq_redis",
    ),
    Peer("huey", ("huey==3.5.4",), "from huey import SqliteHuey", Store.SQLITE),
)


def peer(name: str) -> System:
    return next(peer for peer in POSTGRES_PEERS + OTHER_PEERS if peer.name == name).system()
