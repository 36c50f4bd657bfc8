"""Where the database is: HOLDFAST_DATABASE_URL, else DATABASE_URL, else PG*, else an embedded server."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from holdfast.model.error import InvalidOption

_PG_VARIABLES = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE")
URL_HINT = "write it as postgresql://user:password@host:5432/name"
_SCHEMES = ("postgresql", "postgres")
_HOSTS = re.compile(r"(?:\[[^]]*\]|[^:,\[\]]*)(?::[0-9]*)?(?:,|$)")
_UNESCAPED = "in a password, write / as %2F, ? as %3F, # as %23, @ as %40, [ as %5B and ] as %5D"


class Source(StrEnum):
    """Where the address of the database came from."""

    GIVEN = "the given URL"
    HOLDFAST_DATABASE_URL = "HOLDFAST_DATABASE_URL"
    DATABASE_URL = "DATABASE_URL"
    PG_VARIABLES = "the PG* variables"
    EMBEDDED = "the embedded server"


@dataclass(frozen=True, slots=True)
class Address:
    """A database to connect to; `url` is None for the embedded server, whose address is known once it runs.

    `direct_url` leads past a pooler, for LISTEN. `pooled`: a pooler in transaction mode is in between, so no
    prepared statement may outlive its transaction.
    """

    url: str | None = field(repr=False)  # it may hold a password
    source: Source
    direct_url: str | None = field(default=None, repr=False)
    pooled: bool = False

    @property
    def listen_url(self) -> str | None:
        return self.direct_url or self.url


def resolve_address(url: str | None = None, environ: Mapping[str, str] = os.environ) -> Address:
    """The database that `url` or the environment names."""
    found, source = _find(url, environ)
    direct = environ.get("HOLDFAST_DIRECT_URL") or None
    pooled = environ.get("HOLDFAST_POOLER", "") == "transaction"
    if found is None:
        return Address(None, source)
    plain, says_pooled = _without_pooler_mark(found)
    return Address(plain, source, direct and _without_pooler_mark(direct)[0], pooled or says_pooled)


def without_password(url: str) -> tuple[str, str | None]:
    """Every user of the machine can read the arguments of a process, but not its environment."""
    parts = urlsplit(url)
    if parts.password is None:
        return url, None
    host = parts.netloc.rpartition("@")[2]
    plain = parts._replace(netloc=f"{parts.username or ''}@{host}")
    return urlunsplit(plain), unquote(parts.password)


def _find(url: str | None, environ: Mapping[str, str]) -> tuple[str | None, Source]:
    if url:
        return url, Source.GIVEN
    for source in (Source.HOLDFAST_DATABASE_URL, Source.DATABASE_URL):
        if environ.get(source.value):
            return environ[source.value], source
    if any(environ.get(name) for name in _PG_VARIABLES):
        return "postgresql://", Source.PG_VARIABLES  # the driver reads the variables itself
    return None, Source.EMBEDDED


def _without_pooler_mark(url: str) -> tuple[str, bool]:
    """The URL for the driver, and whether it had ?pgbouncer=true, which servers do not know."""
    parts = _split(url)
    scheme = parts.scheme.partition("+")[0]  # postgresql+asyncpg:// is how SQLAlchemy writes it
    if scheme not in _SCHEMES:
        raise InvalidOption(
            "The database URL must begin with postgresql://.",
            URL_HINT,
        )
    options = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in options if name != "pgbouncer"]
    pooled = ("pgbouncer", "true") in options
    # urlunsplit drops the // of an empty host, which the driver needs.
    rest = urlunsplit(("", "", parts.path, urlencode(kept), ""))
    return f"{scheme}://{parts.netloc}{rest}", pooled


def _split(url: str) -> SplitResult:
    """The parts of a URL. A wrong one is refused here, because later errors would quote its parts."""
    try:
        parts = urlsplit(url)
    except ValueError:  # its message may quote the password
        raise InvalidOption("The database URL cannot be parsed.", f"{URL_HINT}; {_UNESCAPED}") from None
    if _is_torn(parts):
        raise InvalidOption(
            "The database URL cannot be parsed: the port is not a number, or the password is not escaped.",
            _UNESCAPED,
        )
    return parts


def _is_torn(parts: SplitResult) -> bool:
    """Whether an unescaped character in the password has ended the URL's first part too early."""
    hosts = parts.netloc.rpartition("@")[2]
    if "@" in parts.path or parts.fragment or _HOSTS.sub("", hosts):
        return True
    return "@" in parts.query and ":" in hosts and not parts.path
