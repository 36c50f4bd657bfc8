"""A database behind a link that can be harmed: the proxy of `holdfast chaos`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from holdfast.cli.chaos.proxy import Link


@asynccontextmanager
async def linked(url: str) -> AsyncIterator[tuple[Link, str]]:
    """The link, and the URL that leads through it."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    link = Link(f"{query['host']}/.s.PGSQL.{query['port']}")
    port = await link.open()
    try:
        yield link, f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?sslmode=disable"
    finally:
        link.heal()
        await link.close()
