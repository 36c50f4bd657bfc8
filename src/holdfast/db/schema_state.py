"""The state of Holdfast's schema in a database."""

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.db.connect import Connection

OWNER = "select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'holdfast'"
HAS_BOOKKEEPING = """
select count(*) = 2
from pg_class
join pg_namespace on pg_namespace.oid = relnamespace
where nspname = 'holdfast'
  and relname in ('migrations', 'function_set')
"""
MIGRATIONS = "select version, checksum from holdfast.migrations order by version"
FUNCTION_SET = "select version, hash from holdfast.function_set"
ROLES = """
select count(*) = 5
from pg_roles
where rolname in (
  'holdfast_owner', 'holdfast_producer', 'holdfast_worker', 'holdfast_operator', 'holdfast_viewer'
)
"""


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Checksums of the applied migrations by number, and the set of functions; empty in a fresh database."""

    checksums: Mapping[int, str]
    function_set: int = 0
    function_hash: str | None = None
    owner: str | None = None

    @property
    def migration(self) -> int:
        """The newest migration; 0 if there is none."""
        return max(self.checksums, default=0)


async def read_state(conn: Connection) -> SchemaState:
    owner = await conn.fetchval(OWNER)
    if not await conn.fetchval(HAS_BOOKKEEPING):
        return SchemaState({}, owner=owner)
    checksums = {row["version"]: row["checksum"] for row in await conn.fetch(MIGRATIONS)}
    row = await conn.fetchrow(FUNCTION_SET)
    if row is None:
        return SchemaState(checksums, owner=owner)
    return SchemaState(checksums, row["version"], row["hash"], owner)


async def roles_exist(conn: Connection) -> bool:
    return bool(await conn.fetchval(ROLES))
