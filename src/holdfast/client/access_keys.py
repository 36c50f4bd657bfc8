"""Access keys of the HTTP API: create, list, rotate and revoke them, and make log-in links."""

from collections.abc import Sequence

from holdfast.client.connection_pools import Links
from holdfast.db import access_keys
from holdfast.db.statement import Executor
from holdfast.model.access_key import (
    LINK_PREFIX,
    AccessKey,
    AccessRole,
    LoginLink,
    NewSecret,
    hash_secret,
    new_secret,
)
from holdfast.model.duration import Duration, parse_duration
from holdfast.model.error import InvalidOption


class AccessKeys:
    """Available as `app.keys`. A secret is returned once, when it is made, and stored nowhere."""

    def __init__(self, links: Links) -> None:
        self._links = links

    async def create(
        self,
        name: str,
        role: AccessRole | str,
        *,
        queues: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        expires_in: Duration | None = None,
        reason: str | None = None,
    ) -> NewSecret:
        """A key for the given queues and tasks, or for all of them."""
        return await create_key(
            self._database, name, role, queues, tasks, expires_in, reason, self._links.name
        )

    async def rotate(self, name: str, *, overlap: Duration = "1h", reason: str | None = None) -> NewSecret:
        """Gives the key a new secret; the earlier one is accepted for the time of the overlap."""
        return await rotate_key(self._database, name, overlap, reason, self._links.name)

    async def revoke(self, name: str, reason: str | None = None) -> None:
        """Refuses all secrets and sessions of the key from now on."""
        await access_keys.revoke_access_key(self._database, name, reason, self._links.name)

    async def login_link(
        self, name: str, *, lifetime: Duration = "10m", reason: str | None = None
    ) -> LoginLink:
        """A secret that opens one session with the rights of the key, within at most an hour."""
        secret = new_secret(LINK_PREFIX)
        until = await access_keys.create_login_link(
            self._database, name, hash_secret(secret), parse_duration(lifetime), reason, self._links.name
        )
        return LoginLink(name, secret, until)

    async def list(self, *, all_states: bool = False, limit: int = 1000) -> list[AccessKey]:
        """The valid keys by name; with `all_states` also those that have expired or were revoked."""
        return await access_keys.list_access_keys(self._database, limit, all_states)

    @property
    def _database(self) -> Executor:
        return self._links.here().database


async def create_key(
    on: Executor,
    name: str,
    role: AccessRole | str,
    queues: Sequence[str] | None,
    tasks: Sequence[str] | None,
    expires_in: Duration | None,
    reason: str | None,
    actor: str,
) -> NewSecret:
    lifetime = None if expires_in is None else parse_duration(expires_in)
    secret = new_secret()
    await access_keys.create_access_key(
        on, name, read_role(role), hash_secret(secret), queues, tasks, lifetime, reason, actor
    )
    return NewSecret(name, secret)


async def rotate_key(on: Executor, name: str, overlap: Duration, reason: str | None, actor: str) -> NewSecret:
    secret = new_secret()
    until = await access_keys.rotate_access_key(
        on, name, hash_secret(secret), parse_duration(overlap), reason, actor
    )
    return NewSecret(name, secret, until)


def read_role(role: AccessRole | str) -> AccessRole:
    try:
        return AccessRole(role)
    except ValueError:
        raise InvalidOption(
            f"role must be one of {', '.join(AccessRole)} (got {role!r}).",
            "choose the weakest role that is sufficient",
        ) from None
